package tui_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

const passphrase = "a lamp on the pier" // of encrypted

// encryptionKey returns the key of encrypted; deriving one takes a while.
var encryptionKey = sync.OnceValues(func() (u storage.CopyEncryption, err error) {
	if u.Key, err = storage.NewKey(); err == nil {
		u.WrappedKey, err = u.Key.Wrap(passphrase)
	}
	return u, err
})

// encrypted makes the data file of a session, encrypted, unless it has one already.
func encrypted(cfg *config.Config) {
	path := filepath.Join(cfg.DataDir, "ghostlight.db")
	if _, err := os.Stat(path); err == nil {
		return
	}
	u, err := encryptionKey()
	if err != nil {
		panic(err)
	}
	cfg.Unlock = storage.KeyOr(u.Key, nil)
	s, err := storage.Open(path+".plain", storage.Options{})
	if err == nil {
		err = errors.Join(s.CopyEncrypted(path, u), s.Close(), os.Remove(path+".plain"))
	}
	if err != nil {
		panic(err)
	}
}

// A locked screen shows nothing of the play, whatever comes, and takes nothing but the
// passphrase; a reply that is written goes on behind it and is kept.
func TestLock(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), Config: encrypted})
	title := s.Chat().Chat.Title
	s.See("‹1/3›").TypeText("I light the lamp.").Press("enter")
	s.Asked(func(v *tui.Screen) tea.Cmd { return v.Host().Run(keys.Lock) })
	s.Until("the reply", func() bool {
		return len(s.Texts()) == 3 && s.Texts()[2] != "" && !s.Engine.Play.Running(s.Chat().Chat.ID)
	})
	s.Asked(func(v *tui.Screen) tea.Cmd { return v.Host().Say(event.Error, "the disk is full") })
	s.See("Locked", "Passphrase:").NotSee("lamp", "‹1/3›", "the disk is full", title)
	s.Golden("locked")
	s.Press("ctrl+x", "ctrl+p", "f1", "tab", "ctrl+z").See("Passphrase:").NotSee("lamp", "all commands", "Keys")
	s.Press("esc").TypeText("swordfish").See("Passphrase: •••••••••").NotSee("swordfish").Press("enter").See("Wrong passphrase.").NotSee("lamp")
	s.Golden("locked-wrong", tuitest.Size{W: 40, H: 12})
	s.TypeText("x").Press("backspace").PasteText(passphrase).See("••••••").Press("enter").See("I light the lamp.").NotSee("Locked")
	if got := s.Texts(); len(got) != 3 {
		t.Errorf("the chat holds %q", got)
	}
	if strings.Contains(s.Frame(), "swordfish") {
		t.Error("what was typed at the lock stands elsewhere")
	}
	s.Press("ctrl+x", "h", "x").See("Locked").NotSee("lamp").Press("ctrl+q")
	s.Gone()
}

// What leaves encrypted data says that it is not encrypted.
func TestExport_SaysThatItIsNotEncrypted(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), Config: encrypted})
	to := filepath.Join(t.TempDir(), "lamp.md")
	s.See("‹1/3›").Press("ctrl+p").See("Command").TypeText("export this chat").Press("enter").See("Export this chat")
	s.Press("right", "right", "tab", "ctrl+u").TypeText(to).Press("ctrl+s").See("Exported unencrypted").Press("c").NotSee("Exported unencrypted")
	s.Press("ctrl+t").See("Characters").Press("ctrl+s").See("Export ")
	s.Press("ctrl+u").TypeText(strings.TrimSuffix(to, ".md") + ".json").Press("ctrl+s").See("written unencrypted to")
}

// A screen at which nobody does anything locks itself.
func TestLock_ByItself(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), Config: encrypted, Screen: tui.Options{LockAfter: 20 * time.Millisecond}})
	s.See("Locked").NotSee("Write a message")
}

// Without a passphrase the screen cannot be locked, and a warning says so.
func TestLock_WithoutEncryption(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), Screen: tui.Options{LockAfter: time.Millisecond}})
	s.See("ui.lock_after has no effect", "ghostlight lock set")
	s.Press("ctrl+x", "h", "x").See("not now: your data is not encrypted").NotSee("Passphrase:")
}
