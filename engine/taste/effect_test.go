package taste_test

import (
	"slices"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// board puts a confirmed storyboard into the store whose two shots were planned with
// these cards, and then so many of them made wider.
func (l *lessonStage) board(node storage.NodeID, wider int, told ...storage.CardID) {
	l.T.Helper()
	shots := []string{"close_up: a face", "close_up: a hand"}
	made := boardCall(storyboard.GenerateShots, `{}`, planned(storage.BoardShots, shots...))
	if len(told) > 0 {
		made.Used = &storage.TasteUsed{Block: "…", Cards: told}
	}
	calls := []storage.BoardCall{made}
	for i := range wider {
		shots[i] = "wide" + shots[i][len("close_up"):]
		calls = append(calls, boardCall(storyboard.ModifyShot, `{"shot":"s`+string(rune('1'+i))+`","size":"wide"}`, planned(storage.BoardShots, shots...)))
	}
	l.direct(node, append(calls, boardCall(storyboard.ConfirmShots, `{}`, planned(storage.BoardReady, shots...)))...)
}

// Whether the profile helps is counted from the storyboards; a card whose advice is
// undone in two scenes is asked about, told as a doubtful one, and left in peace once
// the user says that it stays.
func TestTaste_Effects(t *testing.T) {
	t.Parallel()
	l := newSchool(t)
	scope := l.Chats.ScopeIn(l.Chat)
	l.board(l.scene("lamp"), 2)
	l.learntOf(card("c1", "Closer shots of faces before an answer", "quiet talks"))
	l.board(l.scene("door"), 1, "c1")
	if e, err := l.Taste.Effects(scope); err != nil || len(e.Doubted) != 0 || len(e.Points) != 2 {
		t.Fatalf("%+v, %v", e, err)
	}
	l.board(l.scene("key"), 1, "c1")
	e, err := l.Taste.Effects(scope)
	enginetest.Must(t, err)
	if e.With != 0.5 || e.Told != 2 || e.Without != 1 || e.Untold != 1 || !slices.Equal(e.Doubted, []storage.CardID{"c1"}) {
		t.Fatalf("%+v", e)
	}
	enginetest.Must(t, l.Taste.KeepCard(scope, "c1"))
	if e, err = l.Taste.Effects(scope); err != nil || len(e.Doubted) != 0 {
		t.Errorf("%+v, %v", e, err)
	}
}

// Turned on late, learning offers the scenes that were confirmed meanwhile.
func TestTaste_MissedScenes(t *testing.T) {
	t.Parallel()
	l := newSchool(t, func(o *enginetest.Setup) { o.Cfg.Taste.Off = true })
	scope := l.Chats.ScopeIn(l.Chat)
	l.board(l.scene("lamp"), 2)
	l.board(l.scene("door"), 0) // taken as it was: nothing to learn from
	l.Work()
	e, err := l.Taste.Effects(scope)
	enginetest.Must(t, err)
	if len(e.Missed) != 1 {
		t.Fatalf("%+v", e.Missed)
	}
	n, err := l.Taste.LearnMissed(scope)
	enginetest.Must(t, err)
	l.Work()
	if e, err = l.Taste.Effects(scope); err != nil || n != 1 || len(e.Missed) != 0 || len(l.taste().Memories) != 1 {
		t.Errorf("%d, %+v, %v", n, e, err)
	}
	if _, err := l.Taste.LearnMissed(scope); err == nil {
		t.Error("nothing was refused")
	}
}
