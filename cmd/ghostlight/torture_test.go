package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The kill suite: commands of the program are killed (kill -9) at random moments, at
// servers that outlive them and count what they were asked. After every kill the data file
// is opened and read. It is short by itself; GHOSTLIGHT_TEST_TORTURE says for how long it
// goes on, such as 10m, and GHOSTLIGHT_TEST_SEED repeats a run.

// siege is a home whose commands are killed.
type siege struct {
	t       *testing.T
	home    home
	servers *demo.Servers
	rng     *rand.Rand
	chat    storage.ChatID
	usual   map[string]time.Duration // how long a command takes that nobody kills
	shots   int                      // commands that were to be killed
	kills   map[string]int           // that were, by command
	safe    int                      // messages that were acknowledged, and are there
	unsaid  int                      // messages whose command was killed before they were safe

	mu    sync.Mutex
	asked map[string]int // requests for a reply, by the user's last message
}

// chance returns the random choices of a run, with a seed that the test logs.
func chance(t *testing.T) *rand.Rand {
	t.Helper()
	seed := rand.Uint64()
	if text := os.Getenv("GHOSTLIGHT_TEST_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("seed %d: GHOSTLIGHT_TEST_SEED=%d repeats it", seed, seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// torture returns how long the suite goes on beyond its own few rounds.
func torture(t *testing.T) time.Duration {
	t.Helper()
	d, err := time.ParseDuration(cmp.Or(os.Getenv("GHOSTLIGHT_TEST_TORTURE"), "0s"))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func besiege(t *testing.T) *siege {
	t.Helper()
	s := &siege{t: t, rng: chance(t), usual: map[string]time.Duration{}, kills: map[string]int{}, asked: map[string]int{}}
	servers, err := demo.Start(demo.Options{TokenDelay: time.Millisecond, Fault: s.count,
		Script: func([]storage.Node, int) string { return strings.Repeat("The rain goes on. ", 12) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = servers.Close() })
	s.servers = servers
	s.home = home{dir: t.TempDir(), args: []string{"--ollama", servers.OllamaURL, "--comfyui", servers.ComfyURL, "--model", demo.Model}}
	s.home.args = append(s.home.args, "--data", filepath.Join(s.home.dir, "house"))
	doc, errs, code := s.home.run(t, "chat", "new", "--title", "T")
	id, _ := doc["id"].(string)
	if s.chat = storage.ChatID(id); code != 0 || id == "" {
		t.Fatalf("no chat: %v %s", doc, errs)
	}
	return s
}

// count counts what the model was asked, by the line of the user's.
func (s *siege) count(c demo.Call) demo.Fault {
	if c.Path == "/api/chat" && len(c.Format) == 0 && len(c.Messages) > 0 {
		last := ""
		for _, m := range c.Messages {
			if m.Role == storage.User {
				last = m.Content
			}
		}
		if at := strings.LastIndex(last, "line "); at >= 0 {
			s.mu.Lock()
			s.asked[strings.Fields(last[at:])[0]+" "+strings.Fields(last[at:])[1]]++
			s.mu.Unlock()
		}
	}
	return demo.Fault{}
}

func (s *siege) askedFor(line string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[line]
}

// shoot runs a command and kills it at some moment of the time that it usually takes, or a
// little later. It reports whether the command ended well before that.
func (s *siege) shoot(args ...string) (acknowledged bool) {
	s.t.Helper()
	name := strings.Join(args[:2], " ")
	if args[0] == "send" {
		name = "send"
	}
	c := s.home.command(args...)
	var errs bytes.Buffer
	c.Stderr = &errs
	began := time.Now()
	if err := c.Start(); err != nil {
		s.t.Fatal(err)
	}
	usual, known := s.usual[name]
	if known {
		kill := time.AfterFunc(time.Duration(s.rng.Int64N(int64(usual)*5/4)), func() { _ = c.Process.Kill() })
		defer kill.Stop()
		s.shots++
	}
	_ = c.Wait() // how it ended is looked at below
	switch {
	case c.ProcessState.Success():
		if took := time.Since(began); !known || took < usual { // the first one may have to wait for a server
			s.usual[name] = took
		}
		return true
	case c.ProcessState.Exited():
		s.t.Errorf("%v was not killed, and failed: %s", args, errs.String())
	default:
		s.kills[name]++
	}
	return false
}

// state holds the chat's records in the data file.
type state struct {
	nodes   []storage.Node
	head    storage.Node
	changes []storage.Change
}

// look opens the file, as the next start does, and checks all of it.
func (s *siege) look() (got state) {
	s.t.Helper()
	store, err := storage.Open(filepath.Join(s.home.dir, "house", "ghostlight.db"), storage.Options{LockWait: 10 * time.Second})
	if err != nil {
		s.t.Fatalf("after kill %d: %v", s.shots, err)
	}
	err = errors.Join(store.Check(), store.View(func(tx *storage.Tx) error {
		for _, n := range tx.Nodes(s.chat) {
			got.nodes = append(got.nodes, n)
		}
		for _, c := range storage.Changes.All(tx, s.chat) {
			got.changes = append(got.changes, c)
		}
		c, err := storage.Chats.Get(tx, s.chat)
		if err != nil {
			return err
		}
		got.head, err = tx.Node(s.chat, c.Head)
		return err
	}), store.Close())
	if err != nil {
		s.t.Fatalf("after kill %d: %v", s.shots, err)
	}
	return got
}

// said counts the messages with a text.
func (st state) said(text string) (n int) {
	for _, m := range st.nodes {
		if m.Content == text {
			n++
		}
	}
	return n
}

// holding counts the changes that were not undone.
func (st state) holding() (n int) {
	for _, c := range st.changes {
		if c.Undone == 0 && !c.Spent {
			n++
		}
	}
	return n
}

// send sends a line. Each line that the model was asked about must be in the file once, and so must
// each acknowledged one.
func (s *siege) send(i int) {
	line := fmt.Sprint("line ", i)
	acknowledged := s.shoot("send", string(s.chat), line)
	n, asked := s.look().said(line), s.askedFor(line)
	switch {
	case n > 1 || asked > 1:
		s.t.Errorf("%q is there %d times, and was asked about %d times", line, n, asked)
	case acknowledged && (n != 1 || asked != 1):
		s.t.Errorf("%q was acknowledged; it is there %d times, and was asked about %d times", line, n, asked)
	case asked > n:
		s.t.Errorf("the model was asked about %q, which is not there", line)
	case n == 1:
		s.safe++
	default:
		s.unsaid++
	}
}

// edit rewrites a message: its text and the list of changes go together.
func (s *siege) edit(i int) {
	before := s.look()
	if before.head.Capture != "" {
		return // there is no message since the picture, which has no text
	}
	text := fmt.Sprint("text ", i)
	acknowledged := s.shoot("chat", "edit", string(s.chat), string(before.head.ID), text)
	after := s.look()
	edited := after.head.Content == text
	if !edited && (acknowledged || after.head.Content != before.head.Content) {
		s.t.Errorf("after editing it to %q (acknowledged: %t) the message says %q; before it said %q", text, acknowledged, after.head.Content, before.head.Content)
	}
	last := storage.Change{}
	if n := len(after.changes); n > 0 {
		last = after.changes[n-1]
	}
	listed := last.Kind == storage.ChangeEdit && last.Was != nil && last.Was.Text == before.head.Content && last.Now.Text == text
	if listed != edited {
		s.t.Errorf("edited: %t, in the list of changes: %t", edited, listed)
	}
}

// undo takes a change back: what it did and its mark in the list go together.
func (s *siege) undo() {
	before := s.look()
	if before.holding() == 0 {
		return
	}
	acknowledged := s.shoot("chat", "undo", string(s.chat))
	after := s.look()
	switch n := before.holding() - after.holding(); {
	case n == 1:
		at := slices.IndexFunc(after.changes, func(c storage.Change) bool {
			return slices.ContainsFunc(before.changes, func(o storage.Change) bool { return o.ID == c.ID && o.Undone == 0 && c.Undone > 0 })
		})
		c := after.changes[at]
		for _, m := range after.nodes {
			if c.Was != nil && m.ID == c.Nodes[0] && m.Content != c.Was.Text {
				s.t.Errorf("an edit is marked as undone, and its message says %q", m.Content)
			}
		}
	case n != 0 || acknowledged:
		s.t.Errorf("undo (acknowledged: %t) took %d changes back", acknowledged, n)
	}
}

// paint sends a picture. However often the work on it is killed, ComfyUI is asked once.
func (s *siege) paint() {
	doc, errs, code := s.home.run(s.t, "capture", "prompt", string(s.chat))
	id, _ := doc["id"].(string)
	if code != 0 || id == "" {
		s.t.Fatalf("no prompt of a picture: %v %s", doc, errs)
	}
	before := s.servers.Comfy.Answered("POST /prompt")
	sent := s.shoot("capture", "send", id, "--width", "64", "--height", "64")
	if !sent {
		if _, errs, code := s.home.run(s.t, "queue", "run"); code != 0 {
			s.t.Errorf("the queue after a kill: %s", errs)
		}
	}
	shown, _, _ := s.home.run(s.t, "capture", "show", id)
	status, asked := fmt.Sprint(shown["status"]), s.servers.Comfy.Answered("POST /prompt")-before
	hung := 0
	for _, n := range s.look().nodes {
		if string(n.Capture) == id && !n.Deleted {
			hung++
		}
	}
	done := status == string(storage.CaptureCompleted)
	if asked > 1 || done != (asked == 1) || done != (hung == 1) || sent && !done || !done && status != string(storage.CaptureDraft) {
		s.t.Errorf("a picture (sent: %t) is %s; ComfyUI was asked %d times, and it hangs %d times", sent, status, asked, hung)
	}
}

func TestTorture_KilledCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("TestScripts runs these commands to their ends")
	}
	t.Parallel()
	s := besiege(t)
	until := time.Now().Add(torture(t))
	for i := 0; i < 20 || time.Now().Before(until); i++ {
		switch {
		case i == 0 || i%5 < 2:
			s.send(i)
		case i%5 == 2:
			s.edit(i)
		case i%5 == 3:
			s.undo()
		default:
			s.paint()
		}
		if t.Failed() {
			t.Fatalf("in round %d", i)
		}
	}
	total := 0
	for _, n := range s.kills {
		total += n
	}
	t.Logf("%d commands shot at, %d killed (%v); %d messages safe, none of them twice; %d were not safe yet, and are not there", s.shots, total, s.kills, s.safe, s.unsaid)
	if doc, errs, code := s.home.run(t, "send", string(s.chat), "And on."); code != 0 {
		t.Errorf("the play does not go on: %v %s", doc, errs)
	}
}
