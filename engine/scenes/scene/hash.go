package scene

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strconv"
)

// HashMessages returns the hash of a scene's messages: of their ids, speakers and texts. It changes
// with any of them.
func HashMessages(messages []Message) string {
	h := sha256.New()
	for _, m := range messages {
		writeTexts(h, string(m.ID), string(m.Role), m.Name, m.Text)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// HashRequest returns the hash of a whole request: model, messages, and everything else that
// affects the answer.
func HashRequest(model string, msgs []Prompt, extra string) string {
	h := sha256.New()
	writeTexts(h, model, extra)
	for _, m := range msgs {
		writeTexts(h, m.Role, m.Content)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// writeTexts writes texts so that no two lists of them look the same.
func writeTexts(h hash.Hash, texts ...string) {
	for _, t := range texts {
		_, _ = h.Write([]byte(strconv.Itoa(len(t)) + ":" + t)) // a hash takes everything
	}
}
