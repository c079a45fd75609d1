package storage

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// plant makes a tree out of "name<parent" words; "-name" makes a deleted one.
func plant(t *testing.T, s *Store, chat ChatID, words string) map[string]NodeID {
	t.Helper()
	ids := map[string]NodeID{"": ""}
	update(t, s, func(tx *Tx) error {
		for _, word := range strings.Fields(words) {
			name, parent, _ := strings.Cut(word, "<")
			name, deleted := strings.CutPrefix(name, "-")
			n := Node{Chat: chat, Parent: ids[parent], Content: name, Deleted: deleted}
			if err := tx.AppendNode(&n); err != nil {
				return err
			}
			ids[name] = n.ID
		}
		return nil
	})
	return ids
}

// A greeting with an alternative, a story of four, a swipe of its second
// message, a deleted message in the middle, and a deleted end.
const sample = "g1 g2 a<g1 b<a b2<a -c<b d<c e<d -f<e b3<a -b4<a"

func contents(nodes []Node) string {
	var names []string
	for _, n := range nodes {
		names = append(names, n.Content)
	}
	return strings.Join(names, " ")
}

func TestPath(t *testing.T) {
	s := open(t)
	chat := newChat(t, s)
	ids := plant(t, s, chat, sample)
	tests := []struct {
		leaf   string
		limit  int
		path   string
		before string
	}{
		{"e", 0, "g1 a b d e", "g1 a b d"},
		{"e", 2, "d e", "b d"},
		{"e", 3, "b d e", "a b d"},
		{"e", 99, "g1 a b d e", "g1 a b d"},
		{"f", 2, "d e", "d e"},
		{"f", 0, "g1 a b d e", "g1 a b d e"},
		{"d", 1, "d", "b"},
		{"g1", 0, "g1", ""},
		{"b2", -1, "g1 a b2", "g1 a"},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%s/%d", tt.leaf, tt.limit), func(t *testing.T) {
			view(t, s, func(tx *Tx) error {
				path, err := tx.Path(chat, ids[tt.leaf], tt.limit)
				if got := contents(path); got != tt.path || err != nil {
					t.Errorf("path %q, want %q (%v)", got, tt.path, err)
				}
				for _, n := range path {
					if n.Chat != chat {
						t.Errorf("%s does not name its chat", n.Content)
					}
				}
				path, err = tx.PathBefore(chat, ids[tt.leaf], tt.limit)
				if got := contents(path); got != tt.before || err != nil {
					t.Errorf("path before %q, want %q (%v)", got, tt.before, err)
				}
				return nil
			})
		})
	}
	view(t, s, func(tx *Tx) error {
		if path, err := tx.Path(chat, "", 0); path != nil || err != nil {
			t.Errorf("path to nowhere: %v %v", path, err)
		}
		if _, err := tx.Path(ChatID(NewID()), ids["e"], 0); !errors.Is(err, ErrNotFound) {
			t.Errorf("path in another chat: %v", err)
		}
		if _, err := tx.PathBefore(chat, NodeID(NewID()), 0); !errors.Is(err, ErrNotFound) {
			t.Errorf("path before nothing: %v", err)
		}
		return nil
	})
}

func TestLeaf(t *testing.T) {
	s := open(t)
	chat := newChat(t, s)
	ids := plant(t, s, chat, sample)
	// Below x everything is deleted, apart from z far down an older branch.
	more := plant(t, s, chat, "x -y<x -y1<y -v<x -w<y1 z<w -y2<y")
	for under, want := range map[string]string{"": "z", "g2": "g2", "g1": "b3", "a": "b3", "b": "e", "c": "e", "d": "e", "e": "e", "f": "f"} {
		view(t, s, func(tx *Tx) error {
			got, err := tx.Leaf(chat, ids[under])
			if wantID := cmpID(ids, more, want); got != wantID || err != nil {
				t.Errorf("leaf under %q: %s, want %s = %s (%v)", under, got, want, wantID, err)
			}
			return nil
		})
	}
	view(t, s, func(tx *Tx) error {
		if got, err := tx.Leaf(chat, more["x"]); got != more["z"] || err != nil {
			t.Errorf("leaf through deleted messages: %s, want %s (%v)", got, more["z"], err)
		}
		if got, err := tx.Leaf(ChatID(NewID()), ""); got != "" || err != nil {
			t.Errorf("leaf of no chat: %q %v", got, err)
		}
		if _, err := tx.Leaf(chat, NodeID(NewID())); !errors.Is(err, ErrNotFound) {
			t.Errorf("leaf under nothing: %v", err)
		}
		return nil
	})
}

func cmpID(a, b map[string]NodeID, name string) NodeID {
	if id, ok := a[name]; ok {
		return id
	}
	return b[name]
}

func TestChildrenAndSiblings(t *testing.T) {
	s := open(t)
	chat := newChat(t, s)
	ids := plant(t, s, chat, sample)
	names := func(list []NodeID) string {
		var out []string
		for _, id := range list {
			for name, known := range ids {
				if known == id {
					out = append(out, name)
				}
			}
		}
		return strings.Join(out, " ")
	}
	view(t, s, func(tx *Tx) error {
		for parent, want := range map[string]string{"": "g1 g2", "a": "b b2 b3 b4", "b": "c", "g2": "", "f": ""} {
			if got, err := tx.Children(chat, ids[parent]); names(got) != want || err != nil {
				t.Errorf("children of %q: %q, want %q (%v)", parent, names(got), want, err)
			}
		}
		for id, want := range map[string]string{"b": "b b2 b3 0", "b3": "b b2 b3 2", "b4": "b b2 b3 -1", "g2": "g1 g2 1", "d": "d 0", "c": " -1"} {
			got, at, err := tx.Siblings(chat, ids[id])
			if text := fmt.Sprint(names(got), " ", at); text != want || err != nil {
				t.Errorf("siblings of %q: %q, want %q (%v)", id, text, want, err)
			}
		}
		if _, err := tx.Children(chat, NodeID(NewID())); !errors.Is(err, ErrNotFound) {
			t.Errorf("children of nothing: %v", err)
		}
		if _, _, err := tx.Siblings(chat, NodeID(NewID())); !errors.Is(err, ErrNotFound) {
			t.Errorf("siblings of nothing: %v", err)
		}
		return nil
	})
}

func TestAppendNode(t *testing.T) {
	s := open(t)
	chat, other := newChat(t, s), newChat(t, s)
	ids := plant(t, s, chat, "a b<a")
	foreign := plant(t, s, other, "x")
	tests := []struct {
		name string
		node Node
		want error
	}{
		{"no chat", Node{}, ErrNotFound},
		{"unknown chat", Node{Chat: ChatID(NewID())}, ErrNotFound},
		{"unknown parent", Node{Chat: chat, Parent: NodeID(NewID())}, ErrNotFound},
		{"parent of another chat", Node{Chat: chat, Parent: foreign["x"]}, ErrNotFound},
		{"bad id", Node{Chat: chat, ID: "nonsense"}, ErrBadID},
		{"taken id", Node{Chat: chat, ID: ids["b"]}, ErrBadID},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n := tt.node
			if err := s.Update(func(tx *Tx) error { return tx.AppendNode(&n) }); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			if n.ID != tt.node.ID || n.Depth != tt.node.Depth {
				t.Errorf("the node was changed: %+v", n)
			}
		})
	}
	n := Node{Chat: chat, Parent: ids["b"], Depth: 77}
	update(t, s, func(tx *Tx) error { return tx.AppendNode(&n) })
	if n.Depth != 2 || n.ID <= ids["b"] {
		t.Errorf("depth %d, id %s after %s", n.Depth, n.ID, ids["b"])
	}
}

func TestAppendNode_ClockSetBack(t *testing.T) {
	s := open(t)
	chat := newChat(t, s)
	far := Node{Chat: chat, ID: "6ZZZZZZZZZZZZZZZZZZZZZZZZZ", Content: "far"}
	update(t, s, func(tx *Tx) error { return tx.AppendNode(&far) })
	last := far.ID
	for range 40 {
		n := Node{Chat: chat, Parent: last}
		update(t, s, func(tx *Tx) error { return tx.AppendNode(&n) })
		if n.ID <= last {
			t.Fatalf("%s does not sort behind %s", n.ID, last)
		}
		last = n.ID
	}
}

func TestPutNode_KeepsItsPlace(t *testing.T) {
	s := open(t)
	chat := newChat(t, s)
	ids := plant(t, s, chat, "a b<a c<b")
	update(t, s, func(tx *Tx) error {
		n, err := tx.Node(chat, ids["b"])
		if err != nil {
			return err
		}
		n.Content, n.State, n.Parent, n.Depth, n.Deleted = "new", Stopped, ids["c"], 9, true
		return tx.PutNode(n)
	})
	view(t, s, func(tx *Tx) error {
		n, err := tx.Node(chat, ids["b"])
		if err != nil || n.Parent != ids["a"] || n.Depth != 1 || n.Content != "new" || n.State != Stopped || !n.Deleted {
			t.Errorf("%+v %v", n, err)
		}
		return nil
	})
	for _, n := range []Node{{}, {Chat: chat}, {Chat: chat, ID: NodeID(NewID())}, {Chat: newChat(t, s), ID: ids["a"]}} {
		if err := s.Update(func(tx *Tx) error { return tx.PutNode(n) }); !errors.Is(err, ErrNotFound) {
			t.Errorf("put of an unknown node: %v", err)
		}
	}
}

func TestNodes_InOrderOfMaking(t *testing.T) {
	s := open(t)
	chat := newChat(t, s)
	ids := plant(t, s, chat, sample)
	var want []NodeID
	for _, id := range ids {
		if id != "" {
			want = append(want, id)
		}
	}
	slices.Sort(want)
	all := func(tx *Tx) error {
		var got []NodeID
		for id, n := range tx.Nodes(chat) {
			if n.ID != id || n.Chat != chat {
				t.Errorf("%+v", n)
			}
			got = append(got, id)
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		return nil
	}
	view(t, s, all)
	update(t, s, all)
}

func TestNewID_GrowsUnderConcurrentUse(t *testing.T) {
	const workers, each = 8, 2000
	made := make(chan []string)
	for range workers {
		go func() {
			var own []string
			for range each {
				own = append(own, NewID())
			}
			made <- own
		}()
	}
	seen := map[string]bool{}
	for range workers {
		own := <-made
		if !slices.IsSorted(own) {
			t.Error("one goroutine's ids do not grow")
		}
		for _, id := range own {
			if seen[id] || checkULID(id) != nil {
				t.Fatalf("id %s is bad or was given out twice", id)
			}
			seen[id] = true
		}
	}
}

func TestIDSource_ClockSetBack(t *testing.T) {
	var s idSource
	last := s.next(5000)
	for _, ms := range []uint64{5000, 5000, 4000, 1, 5001, 5000, 9000} {
		id := s.next(ms)
		if id.Compare(last) <= 0 {
			t.Fatalf("at %d: %s after %s", ms, id, last)
		}
		last = id
	}
	full := last
	for i := 6; i < 16; i++ {
		full[i] = 0xff
	}
	s.last = full
	if id := s.next(1); id.Compare(full) <= 0 || id.Time() != full.Time()+1 {
		t.Errorf("a full millisecond: %s after %s", id, full)
	}
}

func FuzzCheckULID(f *testing.F) {
	f.Add(NewID())
	f.Add("")
	f.Add("../../../../../../etc/pass")
	f.Add("01ARZ3NDEKTSV4RRFFQ69G5FA\x00")
	f.Fuzz(func(t *testing.T, id string) {
		if checkULID(id) == nil && (len(id) != 26 || strings.ToUpper(id) != id || strings.ContainsAny(id, "/.\\\x00ILOU")) {
			t.Errorf("accepted %q", id)
		}
	})
}
