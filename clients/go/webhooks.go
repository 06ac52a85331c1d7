package domainconnection

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"time"
)

// VerificationError reports a message that does not come from the service. Answer a webhook with 400, and a request with
// 403.
type VerificationError struct {
	// Code is missing_header, too_old, bad_signature or replayed.
	Code    string
	Message string
}

func (e *VerificationError) Error() string { return e.Message }

const toleranceSeconds = 300

var (
	webhookTime      = regexp.MustCompile(`^[0-9]{1,12}$`)
	webhookSignature = regexp.MustCompile(`^sha256=([0-9a-f]{64})$`)
)

// VerifyWebhook verifies a webhook and returns its event. It returns a VerificationError unless the service signed it
// with one of these secrets in the last five minutes. Pass the raw body: parsing and serializing it again changes the
// bytes. During a rotation, pass both secrets. An event can arrive more than once, so store its ID to skip duplicates.
func VerifyWebhook(body []byte, header http.Header, secrets ...string) (*Event, error) {
	return verifyWebhookAt(time.Now(), body, header, secrets)
}

func verifyWebhookAt(now time.Time, body []byte, header http.Header, secrets []string) (*Event, error) {
	timestamp := header.Get("X-Svc-Timestamp")
	signature := webhookSignature.FindStringSubmatch(header.Get("X-Svc-Signature"))
	if !webhookTime.MatchString(timestamp) || signature == nil {
		return nil, &VerificationError{"missing_header", "X-Svc-Timestamp or X-Svc-Signature is missing or malformed."}
	}
	if !isFresh(timestamp, now) {
		return nil, &VerificationError{"too_old", "The timestamp is too far from the current time."}
	}
	signed := append([]byte(timestamp+"."), body...)
	for _, secret := range secrets {
		if isSignedWith([]byte(secret), signature[1], signed) {
			var event Event
			if err := json.Unmarshal(body, &event); err != nil {
				return nil, err
			}
			return &event, nil
		}
	}
	return nil, &VerificationError{"bad_signature", "The signature does not match the body and the secret."}
}

func isFresh(seconds string, now time.Time) bool {
	signed, err := strconv.ParseInt(seconds, 10, 64)
	return err == nil && math.Abs(now.Sub(time.Unix(signed, 0)).Seconds()) <= toleranceSeconds
}

func isSignedWith(secret []byte, signature string, signed []byte) bool {
	mac := hmac.New(sha256.New, secret)
	mac.Write(signed)
	return hmac.Equal([]byte(hex.EncodeToString(mac.Sum(nil))), []byte(signature))
}
