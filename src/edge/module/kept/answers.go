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
	generation, share, own, ok := parseKeep(text)
	if !ok {
		return
	}
	found, _ := a.origins.Load().LoadOrStore(originOf(vars, own), new(Origin))
	kept := &answer{generation: generation, until: time.Now().Add(keepFor), origin: found.(*Origin), share: share}
	for i, name := range names {
		kept.values[i] = vars[name]
	}
	for i, value := range own {
		kept.values[i] = value
	}
	if _, existed := a.byHost.Load().Swap(host, kept); !existed && a.count.Add(1) > mostKept {
		a.byHost.Store(new(sync.Map))
		a.origins.Store(new(sync.Map))
		a.count.Store(0)
	}
}

// originOf returns the name that Caddy dials, which belongs to one origin of one application.
func originOf(vars map[string]any, own []string) string {
	if len(own) > 0 {
		return own[1]
	}
	dial, _ := vars["dial"].(string)
	return dial
}

// parseKeep reads a generation, the number of requests that may be in progress without a question, and the scheme and the
// name to dial if they differ from those of the answer: a second name is for one request only.
func parseKeep(text string) (generation uint64, share int64, own []string, ok bool) {
	fields := strings.Fields(text)
	if len(fields) != 2 && len(fields) != 4 {
		return 0, 0, nil, false
	}
	generation, ok = parseGeneration(fields[0])
	share, err := strconv.ParseInt(fields[1], 10, 64)
	return generation, share, fields[2:], ok && err == nil && share > 0
}
