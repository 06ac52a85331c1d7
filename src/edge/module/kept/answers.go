package kept

import (
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Names of the variables that the question sets.
var names = [...]string{"scheme", "dial", "host", "name", "status", "cache", "hsts", "metadata", "signature"}

// keepFor limits the age of an answer, because the agent resolves origins' names again from time to time.
const keepFor = 5 * time.Second

// mostKept limits the memory.
const mostKept = 100_000

type answer struct {
	generation uint64
	until      time.Time
	values     [len(names)]any
	origin     *Origin
	share      int64
}

// Origin counts the requests in progress for which the agent was not asked. Hostnames can have the same origin.
type Origin struct {
	requests atomic.Int64
}

// Done ends a request that used a kept answer.
func (o *Origin) Done() {
	o.requests.Add(-1)
}

// Answers are the kept answers by hostname.
type Answers struct {
	byHost  atomic.Pointer[sync.Map]
	origins atomic.Pointer[sync.Map]
	count   atomic.Int64
}

// New returns an empty set of answers.
func New() *Answers {
	kept := new(Answers)
	kept.byHost.Store(new(sync.Map))
	kept.origins.Store(new(sync.Map))
	return kept
}

// Restore sets the variables as the agent's answer did. It returns the origin, at which the request counts until Done, or
// nil if there is no current answer, or if so many requests of the origin are in progress that the agent has to count.
func (a *Answers) Restore(host string, generation uint64, vars map[string]any) *Origin {
	found, ok := a.byHost.Load().Load(host)
	if !ok {
		return nil
	}
	known := found.(*answer)
	if known.generation != generation || time.Now().After(known.until) {
		return nil
	}
	if known.origin.requests.Add(1) > known.share {
		known.origin.Done()
		return nil
	}
	for i, name := range names {
		vars[name] = known.values[i]
	}
	return known.origin
}

// Keep saves an answer that the agent allows to keep: it names its generation.
func (a *Answers) Keep(host string, vars map[string]any) {
	text, _ := vars["keep"].(string)
	generation, share, ok := parseKeep(text)
	if !ok {
		return
	}
	// The name that Caddy dials belongs to one origin of one application.
	found, _ := a.origins.Load().LoadOrStore(vars["dial"], new(Origin))
	kept := &answer{generation: generation, until: time.Now().Add(keepFor), origin: found.(*Origin), share: share}
	for i, name := range names {
		kept.values[i] = vars[name]
	}
	if _, existed := a.byHost.Load().Swap(host, kept); !existed && a.count.Add(1) > mostKept {
		a.byHost.Store(new(sync.Map))
		a.origins.Store(new(sync.Map))
		a.count.Store(0)
	}
}

// parseKeep reads a generation, and the number of requests that may be in progress without a question.
func parseKeep(text string) (generation uint64, share int64, ok bool) {
	first, second, _ := strings.Cut(text, " ")
	generation, ok = parseGeneration(first)
	share, err := strconv.ParseInt(second, 10, 64)
	return generation, share, ok && err == nil && share > 0
}
