package kept

import (
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"
)

const boot = "00000000-0000-4000-8000-000000000000"

func write(t *testing.T, path, boot string, generation uint64, until int64) {
	t.Helper()
	record := make([]byte, recordSize)
	copy(record, boot)
	binary.BigEndian.PutUint64(record[bootSize:], generation)
	binary.BigEndian.PutUint64(record[untilAt:], uint64(until))
	binary.BigEndian.PutUint32(record[sumAt:], crc32.ChecksumIEEE(record[:sumAt]))
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteAt(record, 0); err != nil {
		t.Fatal(err)
	}
}

func newRecord(t *testing.T, now *int64) (*Record, string) {
	path := filepath.Join(t.TempDir(), "generation")
	record := &Record{path: path, boot: boot, now: func() int64 { return *now }}
	t.Cleanup(record.Close)
	return record, path
}

func expect(t *testing.T, record *Record, generation uint64, isLive bool) {
	t.Helper()
	got, live := record.Generation()
	if got != generation || live != isLive {
		t.Errorf("got %d %v, expected %d %v", got, live, generation, isLive)
	}
}

func TestAGenerationCountsOnlyDuringTheLease(t *testing.T) {
	now := int64(time.Hour)
	record, path := newRecord(t, &now)
	write(t, path, boot, 7, now+int64(time.Second))
	expect(t, record, 0, false) // opens the file
	expect(t, record, 7, true)
	write(t, path, boot, 8, now+int64(time.Second))
	expect(t, record, 8, true)
	now += int64(time.Second)
	expect(t, record, 0, false)
}

func TestARecordOfAnotherMachineOrClockDoesNotCount(t *testing.T) {
	now := int64(time.Hour)
	record, path := newRecord(t, &now)
	write(t, path, "11111111-0000-4000-8000-000000000000", 7, now+int64(time.Second))
	record.Generation()
	expect(t, record, 0, false)
	write(t, path, boot, 7, now+int64(longestLease)+1)
	expect(t, record, 0, false)
}

func TestATornOrShortRecordDoesNotCount(t *testing.T) {
	now := int64(time.Hour)
	record, path := newRecord(t, &now)
	write(t, path, boot, 7, now+int64(time.Second))
	record.Generation()
	expect(t, record, 7, true)
	file, _ := os.OpenFile(path, os.O_WRONLY, 0)
	defer file.Close()
	_, _ = file.WriteAt([]byte{1}, bootSize)
	expect(t, record, 0, false)
	_ = file.Truncate(10)
	expect(t, record, 0, false)
}

func TestAReplacedFileIsOpenedAgain(t *testing.T) {
	now := int64(time.Hour)
	record, path := newRecord(t, &now)
	write(t, path, boot, 7, now+int64(time.Second))
	record.Generation()
	expect(t, record, 7, true)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	write(t, path, boot, 8, now+int64(3*time.Second))
	now += int64(time.Second)
	expect(t, record, 0, false) // the old file's lease has ended, so this opens the new file
	expect(t, record, 8, true)
}

func answered(keep string) map[string]any {
	return map[string]any{"keep": keep, "scheme": "http", "dial": "127.0.0.1:80"}
}

func TestAnAnswerIsUsedInItsGenerationOnly(t *testing.T) {
	kept := New()
	kept.Keep("shop.com", answered("000000000000000a 9"))
	vars := map[string]any{}
	if kept.Restore("shop.com", 10, vars) == nil || vars["dial"] != "127.0.0.1:80" {
		t.Error("a current answer was not used")
	}
	if kept.Restore("shop.com", 11, map[string]any{}) != nil || kept.Restore("other.com", 10, map[string]any{}) != nil {
		t.Error("an answer was used for another generation or hostname")
	}
}

func TestAnAnswerWithoutAGenerationIsNotKept(t *testing.T) {
	kept := New()
	for _, keep := range []string{"", "1", "000000000000000a", "000000000000000g 9", "000000000000000a 0", "000000000000000a 9 http", "000000000000000a x"} {
		kept.Keep("shop.com", answered(keep))
	}
	if kept.count.Load() != 0 {
		t.Error("an answer was kept that the agent did not allow to keep")
	}
}

func TestAnOriginHasAShareOfRequestsWithoutAQuestion(t *testing.T) {
	kept := New()
	for _, host := range []string{"a.com", "b.com"} {
		kept.Keep(host, answered("000000000000000a 2"))
	}
	first, second := kept.Restore("a.com", 10, map[string]any{}), kept.Restore("b.com", 10, map[string]any{})
	if first == nil || second == nil {
		t.Fatal("a request within the share was asked for")
	}
	if kept.Restore("a.com", 10, map[string]any{}) != nil {
		t.Error("a request beyond the share was not asked for")
	}
	first.Done()
	if kept.Restore("b.com", 10, map[string]any{}) == nil {
		t.Error("the place of a request that ended was not used again")
	}
}

func TestTheNumberOfAnswersIsLimited(t *testing.T) {
	kept := New()
	for i := range 2*mostKept + 1 {
		kept.Keep(strconv.Itoa(i), answered("000000000000000a 9"))
	}
	if count := kept.count.Load(); count > mostKept {
		t.Errorf("%d answers are kept", count)
	}
}

// Readers run while the generation changes. No reader may get an answer of a generation that was replaced before it began.
func TestNoReaderGetsAnOldAnswer(t *testing.T) {
	now := int64(time.Hour)
	record, path := newRecord(t, &now)
	write(t, path, boot, 1, now+int64(time.Second))
	record.Generation()
	kept := New()
	var acknowledged sync.RWMutex
	current := uint64(1)
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				acknowledged.RLock()
				least := current
				acknowledged.RUnlock()
				generation, isLive := record.Generation()
				vars := map[string]any{}
				if !isLive {
					continue
				}
				if origin := kept.Restore("shop.com", generation, vars); origin != nil {
					origin.Done()
					if vars["dial"].(uint64) < least {
						t.Errorf("an answer of generation %v was used after %d", vars["dial"], least)
					}
				}
			}
		})
	}
	for generation := uint64(1); generation < 2_000; generation++ {
		write(t, path, boot, generation, now+int64(time.Second))
		acknowledged.Lock()
		current = generation
		acknowledged.Unlock()
		kept.Keep("shop.com", map[string]any{"keep": hex16(generation) + " 9", "dial": generation})
	}
	close(done)
	readers.Wait()
}

func hex16(generation uint64) string {
	text := strconv.FormatUint(generation, 16)
	return "0000000000000000"[len(text):] + text
}
