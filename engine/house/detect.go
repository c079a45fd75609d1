package house

import (
	"ghostlight/storage"
)

// SameAsChat tells whether a job asks the chat's model in the same way, so that
// the server has the chat's prompt in its cache.
func (svc *Service) SameAsChat(j Job, model string) bool {
	want := svc.ModelOf(storage.Chat{Model: model})
	return j.Server == "" && (j.Model == want || want == "") && j.Options.NumCtx == svc.ContextOf(j.Known)
}
