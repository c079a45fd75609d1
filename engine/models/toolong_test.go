package models_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Of a prompt that its server finds too long background work learns how wrong the estimate
// is: it is told that the prompt does not fit, as if that had been known before.
func TestAskJob_LongerThanEstimated(t *testing.T) {
	t.Parallel()
	s := &harness{enginetest.NewHarness(t)}
	var c storage.Chat
	enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) (err error) { c, err = storage.Chats.Get(tx, s.Chat); return err }))
	j, err := s.Models.Job(t.Context(), models.JobRecap, c)
	enginetest.Must(t, err)
	prompt := []prompts.Message{{Role: "system", Content: strings.Repeat("?!?!"+strings.Repeat(" ", 12), j.Options.NumCtx/8)}, {Role: "user", Content: "What of it?"}}
	enginetest.Must(t, j.Fits(prompt))
	var into struct{ Answer string }
	form := models.AnswerForm{Schema: json.RawMessage(`{"type":"object","properties":{"answer":{"type":"string"}},"required":["answer"]}`), Into: &into}
	var big *failure.BigPromptError
	if err := s.Models.AskJob(t.Context(), j, prompt, form, func(queue.Progress) {}); !errors.As(err, &big) || big.Need <= j.Options.NumCtx {
		t.Errorf("it was refused with %v", err)
	}
}
