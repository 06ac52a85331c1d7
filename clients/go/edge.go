package domainconnection

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"
)

// RequestIDStore holds the ids of accepted requests. Several processes need a shared store, such as Redis
// (SET id 1 NX EX 600).
type RequestIDStore interface {
	// Add stores an id for at least ten minutes. It returns false if the id is there already.
	Add(id string) bool
}

// RequestIDs keeps request ids in the memory of this process, for ten to twenty minutes. The zero value is ready.
type RequestIDs struct {
	mutex      sync.Mutex
	young, old map[string]bool
	since      time.Time
}

// Add stores an id. It returns false if the id is there already.
func (ids *RequestIDs) Add(id string) bool {
	ids.mutex.Lock()
	defer ids.mutex.Unlock()
	if time.Since(ids.since) > 10*time.Minute {
		ids.young, ids.old, ids.since = map[string]bool{}, ids.young, time.Now()
	}
	if ids.young[id] || ids.old[id] {
		return false
	}
	ids.young[id] = true
	return true
}

var (
	edgeSignature = regexp.MustCompile(`^t=([0-9]{1,12})((?:,v1=[0-9a-f]{64})+)$`)
	port          = regexp.MustCompile(`:[0-9]+$`)
	absolute      = regexp.MustCompile(`(?i)^https?://[^/?#]*`)
)

// VerifyEdgeRequest verifies that an edge of the service sent this request, unaltered and in the last five minutes. It
// returns a VerificationError otherwise. During a rotation, pass both secrets. With a store, each request is accepted
// once. The body is not signed.
func VerifyEdgeRequest(request *http.Request, secrets []string, ids RequestIDStore) error {
	return verifyEdgeRequestAt(time.Now(), request, secrets, ids)
}

func verifyEdgeRequestAt(now time.Time, request *http.Request, secrets []string, ids RequestIDStore) error {
	header := request.Header
	signature := edgeSignature.FindStringSubmatch(header.Get("X-Svc-Edge-Signature"))
	id := header.Get("X-Request-Id")
	if signature == nil || id == "" {
		return &VerificationError{"missing_header", "X-Svc-Edge-Signature or X-Request-Id is missing or malformed."}
	}
	if !isFresh(signature[1], now) {
		return &VerificationError{"too_old", "The signature is too far from the current time."}
	}
	metadata := sha256.Sum256([]byte(header.Get("X-Svc-Metadata")))
	signed := strings.Join([]string{
		signature[1],
		strings.ToUpper(request.Method),
		port.ReplaceAllString(strings.ToLower(header.Get("X-Forwarded-Host")), ""),
		// A server that also is a proxy gets absolute URLs.
		absolute.ReplaceAllString(request.RequestURI, ""),
		id,
		hex.EncodeToString(metadata[:]),
	}, "\n")
	if !isSignedByOne(secrets, strings.Split(signature[2], ",v1=")[1:], []byte(signed)) {
		return &VerificationError{"bad_signature", "The signature does not match the request and the secret."}
	}
	if ids != nil && !ids.Add(id) {
		return &VerificationError{"replayed", "A request with this id was accepted before."}
	}
	return nil
}

func isSignedByOne(secrets, signatures []string, signed []byte) bool {
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "edgesec_"))
		if err != nil {
			continue
		}
		for _, signature := range signatures {
			if isSignedWith(key, signature, signed) {
				return true
			}
		}
	}
	return false
}

// EdgeOnly returns middleware that answers 403 to every request that no edge of the service signed.
func EdgeOnly(secrets []string, ids RequestIDStore) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
			var refusal *VerificationError
			if errors.As(VerifyEdgeRequest(request, secrets, ids), &refusal) {
				response.Header().Set("Content-Type", "application/json")
				response.WriteHeader(http.StatusForbidden)
				content := map[string]string{"code": refusal.Code, "message": refusal.Message}
				_ = json.NewEncoder(response).Encode(map[string]any{"error": content})
				return
			}
			next.ServeHTTP(response, request)
		})
	}
}
