package domainconnection

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	openapi_types "github.com/oapi-codegen/runtime/types"
)

// New creates a client. The credential is an API key or a widget token.
func New(baseURL, credential string, options ...ClientOption) (*ClientWithResponses, error) {
	bearer := WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+credential)
		return nil
	})
	return NewClientWithResponses(baseURL, append([]ClientOption{bearer}, options...)...)
}

// APIError is an error answer of the service. Code is stable; Message explains to people what to do.
type APIError struct {
	Status  int
	Code    string
	Message string
	Details any
	// RequestID is in the service's log.
	RequestID string
}

func (e *APIError) Error() string { return e.Code + ": " + e.Message }

// ErrorOf returns an APIError if the service refused a request, and nil otherwise. Pass the fields HTTPResponse and Body
// of any answer.
func ErrorOf(response *http.Response, body []byte) error {
	if response.StatusCode < 400 {
		return nil
	}
	refusal := &APIError{
		Status:    response.StatusCode,
		Code:      "unknown",
		Message:   fmt.Sprintf("The service answered %d.", response.StatusCode),
		RequestID: response.Header.Get("X-Request-Id"),
	}
	var content Error
	if json.Unmarshal(body, &content) == nil && content.Error.Code != "" {
		refusal.Code, refusal.Message, refusal.Details = content.Error.Code, content.Error.Message, content.Error.Details
	}
	return refusal
}

// NotReachedError reports a connection that did not reach the wanted state: it failed, was archived, or the context
// ended.
type NotReachedError struct {
	Connection *ConnectionDetail
	Wanted     string
}

func (e *NotReachedError) Error() string {
	parts := []string{fmt.Sprintf("%s is %s, not %s.", e.Connection.Hostname, e.Connection.State, e.Wanted)}
	for _, finding := range e.Connection.Findings {
		parts = append(parts, finding.Message)
		if finding.Fix != nil {
			parts = append(parts, *finding.Fix)
		}
	}
	return strings.Join(parts, " ")
}

// WaitUntil polls as often as the service asks for, until the connection is in this state. It returns a NotReachedError,
// with the fixes, if the connection fails, is archived, or the context ends first.
func WaitUntil(ctx context.Context, client ClientWithResponsesInterface, id openapi_types.UUID, state string) (*ConnectionDetail, error) {
	var known *ConnectionDetail
	for {
		answer, err := client.GetConnectionsByIDWithResponse(ctx, id, nil)
		if err != nil {
			if known != nil && ctx.Err() != nil {
				return nil, &NotReachedError{Connection: known, Wanted: state}
			}
			return nil, err
		}
		status := answer.StatusCode()
		if err := ErrorOf(answer.HTTPResponse, answer.Body); err != nil && status != 429 && status != 503 {
			return nil, err
		}
		if answer.JSON200 != nil {
			known = answer.JSON200
			if known.State == state {
				return known, nil
			}
			if known.State == "failed" || known.State == "archived" {
				return nil, &NotReachedError{Connection: known, Wanted: state}
			}
		}
		if err := pause(ctx, answer.HTTPResponse); err != nil {
			if known != nil {
				return nil, &NotReachedError{Connection: known, Wanted: state}
			}
			return nil, err
		}
	}
}

// pause waits for the time in Retry-After, or three seconds without it.
func pause(ctx context.Context, response *http.Response) error {
	seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
	if err != nil {
		seconds = 3
	}
	timer := time.NewTimer(time.Duration(seconds) * time.Second)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
