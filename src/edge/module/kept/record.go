package kept

import (
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// The agent's record of 56 bytes: id of the boot (36 bytes of text), generation (8), time at which the agent's lease
// ends (nanoseconds of CLOCK_MONOTONIC, big-endian, 8), and CRC-32 of all that (4).
const (
	bootSize   = 36
	untilAt    = bootSize + 8
	sumAt      = untilAt + 8
	recordSize = sumAt + 4
)

// A lease is never longer than this, so a later end comes from another clock.
const longestLease = 5 * time.Second

const reopenAfter = 500 * time.Millisecond

// Record reads the agent's record. Both processes run on one machine, so a read returns what the agent wrote last.
type Record struct {
	path string
	boot string
	now  func() int64

	mutex    sync.RWMutex
	file     *os.File
	openedAt int64
}

// OpenRecord returns the record in a file, which need not exist yet.
func OpenRecord(path string) *Record {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return &Record{path: path, boot: strings.TrimSpace(string(boot)), now: monotonic}
}

// Generation returns the present generation of the agent's answers. It returns false if the agent's lease has ended.
func (r *Record) Generation() (uint64, bool) {
	var record [recordSize]byte
	now := r.now()
	if !r.read(record[:]) {
		r.reopen(now)
		return 0, false
	}
	sum := crc32.ChecksumIEEE(record[:sumAt])
	until := int64(binary.BigEndian.Uint64(record[untilAt:]))
	if sum != binary.BigEndian.Uint32(record[sumAt:]) || string(record[:bootSize]) != r.boot {
		return 0, false
	}
	if now >= until || until-now > int64(longestLease) {
		r.reopen(now)
		return 0, false
	}
	return binary.BigEndian.Uint64(record[bootSize:]), true
}

func (r *Record) read(record []byte) bool {
	r.mutex.RLock()
	defer r.mutex.RUnlock()
	if r.file == nil {
		return false
	}
	n, err := unix.Pread(int(r.file.Fd()), record, 0)
	return err == nil && n == recordSize
}

// reopen looks for a new file, because the agent's folder may have been replaced.
func (r *Record) reopen(now int64) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.openedAt != 0 && now-r.openedAt < int64(reopenAfter) {
		return
	}
	r.openedAt = now
	file, err := os.Open(r.path)
	if err != nil {
		return
	}
	if r.file != nil {
		r.file.Close()
	}
	r.file = file
}

func (r *Record) Close() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.file != nil {
		r.file.Close()
		r.file = nil
	}
}

func monotonic() int64 {
	var now unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &now) != nil {
		return 0
	}
	return now.Nano()
}

func parseGeneration(text string) (uint64, bool) {
	var bytes [8]byte
	if len(text) != 16 {
		return 0, false
	}
	if _, err := hex.Decode(bytes[:], []byte(text)); err != nil {
		return 0, false
	}
	return binary.BigEndian.Uint64(bytes[:]), true
}
