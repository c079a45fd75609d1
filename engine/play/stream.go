package play

import (
	"sync"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/play/passage"
)

// stream gathers deltas, emits them at most once per emitEvery, and saves the message about once a
// second. The turn's mu guards it.
type stream struct {
	svc      *Service
	t        *liveTurn
	pending  ollama.Delta
	lastEmit time.Time
	lastSave time.Time
	timer    *time.Timer
	closed   bool
	saving   bool
	saves    sync.WaitGroup
	// proposed are the bytes of a line or a passage that came.
	proposed int
	// Bytes of the message that may be stored, and bytes that no cut takes back.
	storable, final int

	content, thinking GrowingText // the message's
}

// add appends a delta from the model. The caller holds t.mu.
func (s *stream) add(d ollama.Delta) {
	s.t.wait.receive(d, s.svc.core.Config.Now())
	s.pending.Content += d.Content
	s.pending.Thinking += d.Thinking
	wait := emitEvery - time.Since(s.lastEmit)
	if wait <= 0 {
		s.emit()
		return
	}
	// Emit pending text even if the model pauses.
	if s.timer == nil {
		s.timer = time.AfterFunc(wait, func() {
			defer crash.Recover("the stream's timer")
			s.t.mu.Lock()
			defer s.t.mu.Unlock()
			if s.timer = nil; !s.closed {
				s.emit()
			}
		})
	}
}

// flush emits the rest and waits for a save that is running.
func (s *stream) flush() {
	s.t.mu.Lock()
	if s.timer != nil {
		s.timer.Stop()
	}
	s.closed = true
	s.emit()
	s.t.mu.Unlock()
	s.saves.Wait()
}

// emit sends what is pending. The caller holds t.mu.
func (s *stream) emit() {
	d := s.pending
	if d == (ollama.Delta{}) {
		return
	}
	s.pending, s.lastEmit = ollama.Delta{}, time.Now()
	if !s.t.isReply() {
		s.emitProposal(d.Content)
		return
	}
	ev := ReplyDelta{Chat: s.t.chat, Node: s.t.msg.ID, Content: d.Content, Thinking: d.Thinking,
		At: len(s.t.msg.Content), ThinkingAt: len(s.t.msg.Thinking)}
	s.t.msg.Content = s.content.Append(s.t.msg.Content, d.Content)
	s.t.msg.Thinking = s.thinking.Append(s.t.msg.Thinking, d.Thinking)
	ev.Firm = min(s.final, len(s.t.msg.Content))
	s.t.storable, s.t.watched = s.storable, true
	s.svc.core.Emit(ev)
	if now := s.svc.core.Config.Now(); !s.closed && !s.saving && now.Sub(s.lastSave) >= saveEvery {
		s.lastSave, s.saving = now, true
		s.saves.Add(1)
		crash.Go("the saving of a reply", s.save)
	}
}

// setLimits sets storable and final. The caller holds t.mu.
func (s *stream) setLimits(storable, final int) {
	s.storable, s.final = storable, final
}

// cut shortens the message to its first at bytes, and emits a ReplyCut. The caller holds t.mu.
func (s *stream) cut(at int) {
	have := len(s.t.msg.Content)
	if !s.t.isReply() {
		have = s.proposed
	}
	if at >= have {
		s.pending.Content = s.pending.Content[:min(at-have, len(s.pending.Content))]
		return
	}
	s.pending.Content = ""
	s.storable, s.final = min(s.storable, at), min(s.final, at)
	if !s.t.isReply() {
		s.proposed = at
		s.emitProposal("")
		return
	}
	s.t.msg.Content = s.t.msg.Content[:at]
	s.svc.core.Emit(ReplyCut{Chat: s.t.chat, Node: s.t.msg.ID, At: at})
}

// emitProposal emits text that is not stored. A passage that is too long for a text ends the turn.
// The caller holds t.mu.
func (s *stream) emitProposal(text string) {
	at := s.proposed
	s.proposed += len(text)
	firm := min(s.final, s.proposed)
	if s.t.passage == nil {
		s.svc.core.Emit(LineSuggested{Chat: s.t.chat, Text: text, At: at, Firm: firm})
		return
	}
	if s.proposed > passage.MaxAnswer {
		s.t.cancel()
	}
	s.svc.core.Emit(PassageWritten{Chat: s.t.chat, Text: text, At: at})
}

// save stores what has come so far. It runs beside the stream, so that a slow disk does not delay
// it.
func (s *stream) save() {
	defer s.saves.Done()
	err := s.svc.save(s.t)
	s.t.mu.Lock()
	s.saving = false
	s.t.mu.Unlock()
	if err != nil {
		s.svc.core.Log.Error("saving a reply failed", "chat", s.t.chat, "err", err)
		s.svc.core.Emit(event.Notice{Level: event.Error, Text: "the reply could not be saved: " + failure.Text(err)})
	}
}
