package main

import (
	"net"
	"net/http"
	"strings"

	"edge/kept"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

func init() {
	caddy.RegisterModule(ServiceRoute{})
	httpcaddyfile.RegisterDirective("service_route", parse)
}

// ServiceRoute finds out where a request goes. It does what asking/agent.caddyfile does with directives of stock Caddy,
// but asks the agent only if it has no current answer.
type ServiceRoute struct {
	// File in which the agent writes the generation of its answers.
	File string `json:"file,omitempty"`
	// Question to the agent. It continues only for requests that go to an origin.
	Question caddyhttp.RouteList `json:"question,omitempty"`

	record  *kept.Record
	answers *kept.Answers
}

func (ServiceRoute) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "http.handlers.service_route",
		New: func() caddy.Module { return new(ServiceRoute) },
	}
}

func (s *ServiceRoute) Provision(ctx caddy.Context) error {
	s.record = kept.OpenRecord(s.File)
	s.answers = kept.New()
	return s.Question.Provision(ctx)
}

func (s *ServiceRoute) Cleanup() error {
	s.record.Close()
	return nil
}

func (s *ServiceRoute) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	if isLoop(r.Header) {
		return caddyhttp.Error(http.StatusLoopDetected, nil)
	}
	vars := r.Context().Value(caddyhttp.VarsCtxKey).(map[string]any)
	isStream := removeForged(r)
	if isStream {
		vars["stream"] = "1"
	}
	// After an error the agent is asked again: it may have stopped since it answered.
	isRepeated := r.Context().Value(caddyhttp.ErrorCtxKey) != nil
	host := hostOf(r)
	if !isStream && !isRepeated {
		if generation, isLive := s.record.Generation(); isLive {
			if origin := s.answers.Restore(host, generation, vars); origin != nil {
				defer origin.Done()
				return forward(w, r, next, vars)
			}
		}
	}
	answered := func(w http.ResponseWriter, r *http.Request) error {
		s.answers.Keep(host, vars)
		return forward(w, r, next, vars)
	}
	return s.Question.Compile(caddyhttp.HandlerFunc(answered)).ServeHTTP(w, r)
}

// isLoop reports whether the request has passed the edge twice (RFC 8586).
func isLoop(header http.Header) bool {
	passed := header["Cdn-Loop"]
	return len(passed) > 0 && strings.Count(strings.Join(passed, ","), "svc-edge") >= 2
}

// removeForged removes headers that origins would trust, and every upgrade but websockets. It returns whether the request
// becomes a stream.
func removeForged(r *http.Request) bool {
	for name := range r.Header {
		if len(name) >= len(forwarded) && strings.EqualFold(name[:len(forwarded)], forwarded) {
			delete(r.Header, name)
		}
	}
	upgrade, wantsUpgrade := r.Header["Upgrade"]
	if wantsUpgrade && !strings.EqualFold(strings.Join(upgrade, ","), "websocket") {
		delete(r.Header, "Upgrade")
		wantsUpgrade = false
	}
	return wantsUpgrade || r.Method == http.MethodConnect
}

const forwarded = "X-Forwarded-"

// forward gives the request its connection's own values, and never a visitor's.
func forward(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler, vars map[string]any) error {
	setOrRemove(r.Header, "X-Svc-Metadata", vars["metadata"])
	setOrRemove(r.Header, "X-Svc-Edge-Signature", vars["signature"])
	hsts, _ := vars["hsts"].(string)
	return next.ServeHTTP(&originResponse{&caddyhttp.ResponseWriterWrapper{ResponseWriter: w}, hsts, false}, r)
}

func setOrRemove(header http.Header, name string, value any) {
	if text, _ := value.(string); text != "" {
		header[name] = []string{text}
	} else {
		delete(header, name)
	}
}

// originResponse adds security headers to responses that have none.
type originResponse struct {
	*caddyhttp.ResponseWriterWrapper
	hsts      string
	hasHeader bool
}

func (o *originResponse) WriteHeader(status int) {
	if !o.hasHeader {
		// Responses 1xx are not final.
		o.hasHeader = status >= 200 || status == http.StatusSwitchingProtocols
		setDefault(o.Header(), "Strict-Transport-Security", o.hsts)
		setDefault(o.Header(), "X-Content-Type-Options", "nosniff")
	}
	o.ResponseWriterWrapper.WriteHeader(status)
}

func (o *originResponse) Write(data []byte) (int, error) {
	if !o.hasHeader {
		o.WriteHeader(http.StatusOK)
	}
	return o.ResponseWriterWrapper.Write(data)
}

func setDefault(header http.Header, name, value string) {
	if _, isSet := header[name]; !isSet {
		header[name] = []string{value}
	}
}

func hostOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	return strings.ToLower(host)
}

// parse reads `service_route <file> { <directives of the question> }`. It takes no matcher, because a path would be one.
func parse(h httpcaddyfile.Helper) ([]httpcaddyfile.ConfigValue, error) {
	h.Next()
	if !h.NextArg() {
		return nil, h.ArgErr()
	}
	handler := &ServiceRoute{File: h.Val()}
	route := h.WithDispenser(h.NewFromNextSegment())
	question, err := httpcaddyfile.ParseSegmentAsSubroute(route)
	if err != nil {
		return nil, err
	}
	handler.Question = question.(*caddyhttp.Subroute).Routes
	return h.NewRoute(nil, handler), nil
}
