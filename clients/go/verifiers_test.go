package domainconnection

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"
)

// The messages that clients in every language are tested with.
type expected struct {
	Name    string
	Code    *string
	Secrets []string
	Now     int64
}
type webhookVector struct {
	expected
	Timestamp, Signature, Body string
}
type edgeVector struct {
	expected
	Signature, Method, Host, URI, ID, Metadata string
}

func readVectors(t *testing.T) (vectors struct {
	Webhooks []webhookVector
	Edge     []edgeVector
}) {
	t.Helper()
	text, err := os.ReadFile("../vectors.json")
	if err == nil {
		err = json.Unmarshal(text, &vectors)
	}
	if err != nil || len(vectors.Webhooks) == 0 || len(vectors.Edge) == 0 {
		t.Fatal("vectors.json cannot be read", err)
	}
	return vectors
}

func codeOf(err error) string {
	var refusal *VerificationError
	if errors.As(err, &refusal) {
		return refusal.Code
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

func (e expected) check(t *testing.T, err error) {
	t.Helper()
	wanted := ""
	if e.Code != nil {
		wanted = *e.Code
	}
	if code := codeOf(err); code != wanted {
		t.Errorf("%s: got %q, want %q", e.Name, code, wanted)
	}
}

func TestWebhooks(t *testing.T) {
	for _, vector := range readVectors(t).Webhooks {
		header := http.Header{"X-Svc-Timestamp": {vector.Timestamp}, "X-Svc-Signature": {vector.Signature}}
		event, err := verifyWebhookAt(time.Unix(vector.Now, 0), []byte(vector.Body), header, vector.Secrets)
		vector.check(t, err)
		if err == nil && event.Type != "domain.verified" {
			t.Errorf("%s: got an event of type %q", vector.Name, event.Type)
		}
	}
}

func (v edgeVector) verify(ids RequestIDStore) error {
	request := &http.Request{Method: v.Method, RequestURI: v.URI, Header: http.Header{
		"X-Svc-Edge-Signature": {v.Signature},
		"X-Forwarded-Host":     {v.Host},
		"X-Request-Id":         {v.ID},
	}}
	if v.Metadata != "" {
		request.Header.Set("X-Svc-Metadata", v.Metadata)
	}
	return verifyEdgeRequestAt(time.Unix(v.Now, 0), request, v.Secrets, ids)
}

func TestRequestsOfEdges(t *testing.T) {
	for _, vector := range readVectors(t).Edge {
		vector.check(t, vector.verify(nil))
	}
}

func TestARequestIsAcceptedOnce(t *testing.T) {
	vector, ids := readVectors(t).Edge[0], &RequestIDs{}
	if first, second := codeOf(vector.verify(ids)), codeOf(vector.verify(ids)); first != "" || second != "replayed" {
		t.Errorf("got %q and %q", first, second)
	}
}

func TestMiddlewareRefusesUnsignedRequests(t *testing.T) {
	passed := false
	handler := EdgeOnly(nil, nil)(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { passed = true }))
	response := httptest.NewRecorder()
	handler.ServeHTTP(response, httptest.NewRequest("GET", "/", nil))
	if response.Code != http.StatusForbidden || passed {
		t.Errorf("got status %d", response.Code)
	}
}
