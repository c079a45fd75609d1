package chats

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// treeOf makes places of words like "b<a": b is below a. The first letter is the role: u for the
// user, p for a picture, x for a deleted reply; else it is a reply.
func treeOf(t testing.TB, text string) []storage.NodeInfo {
	t.Helper()
	var out []storage.NodeInfo
	depth := map[storage.NodeID]int{"": -1}
	for _, word := range strings.Fields(text) {
		name, parent, _ := strings.Cut(word, "<")
		p := storage.NodeInfo{Role: storage.Assistant, Size: 1, Parent: storage.NodeID(parent)}
		switch {
		case strings.HasPrefix(name, "u:"):
			p.Role = storage.User
		case strings.HasPrefix(name, "p:"):
			p.Role = storage.SceneCapture
		case strings.HasPrefix(name, "x:"):
			p.Deleted = true
		}
		p.ID = storage.NodeID(name[strings.Index(name, ":")+1:])
		up, ok := depth[p.Parent]
		if !ok {
			t.Fatalf("%q hangs below nothing", word)
		}
		p.Depth = up + 1
		depth[p.ID] = p.Depth
		out = append(out, p)
	}
	return out
}

// drawn returns segments as one line: level, first to last, messages; + is shown, ^n are swipes.
func drawn(segments []Segment) string {
	var out []string
	for _, l := range segments {
		s := fmt.Sprintf("%d %s-%s %d", l.Level, l.First, l.Last, l.Messages)
		if l.Shown {
			s += "+"
		}
		if l.Swipes > 0 {
			s += fmt.Sprintf("^%d", l.Swipes)
		}
		if !l.Ends {
			s += "…"
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

func TestLegs(t *testing.T) {
	for _, c := range []struct {
		name, tree, path string
		swipes           bool
		want             string
	}{
		{"nothing", "", "", false, ""},
		{"one way", "a u:b<a c<b", "a b c", false, "0 a-c 3+"},
		{"swipes are counted", "a u:b<a c<b d<b e<b", "a b e", false, "0 a-e 3+^2"},
		{"swipes have segments", "a u:b<a c<b d<b e<b", "a b e", true, "0 a-b 2+…; 1 c-c 1; 1 d-d 1; 0 e-e 1+"},
		{"a take that was gone on from is a branch", "a u:b<a c<b u:d<c e<d f<b", "a b f", false, "0 a-b 2+…; 1 c-e 3; 0 f-f 1+"},
		{"without a head the longest goes on", "a u:b<a c<b u:d<c e<d f<b u:g<f", "", false, "0 a-b 2…; 1 f-g 2; 0 c-e 3"},
		{"two lines of the user's", "a u:b<a c<b u:d<a", "a b c", false, "0 a-a 1+…; 1 d-d 1; 0 b-c 2+"},
		{"a branch of a branch", "a u:b<a u:c<a d<b u:e<d u:f<d g<c", "a c g", false, "0 a-a 1+…; 1 b-d 2…; 2 e-e 1; 1 f-f 1; 0 c-g 2+"},
		{"greetings", "a b u:c<b", "b c", false, "0 b-c 2+^1"},
		{"deleted ones are gone through", "a x:b<a u:c<b", "a b c", false, "0 a-c 2+"},
		{"deleted swipes are no swipes", "a u:b<a x:c<b d<b", "a b d", false, "0 a-d 3+"},
		{"a deleted fork", "a x:b<a u:c<b u:d<b", "a b d", false, "0 a-a 1+…; 1 c-c 1; 0 d-d 1+"},
		{"nothing but deleted ones", "x:a x:b<a", "a b", false, ""},
		{"pictures", "a p:b<a u:c<b", "a b c", false, "0 a-c 3+"},
	} {
		w := newMessageTree(treeOf(t, c.tree))
		for _, id := range strings.Fields(c.path) {
			w.onPath(storage.NodeID(id))
		}
		if got := drawn(w.segments(c.swipes)); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestLegs_ScenesAndPictures(t *testing.T) {
	w := newMessageTree(treeOf(t, "a p:b<a u:c<b p:d<c e<d"))
	w.endsScene("b")
	w.endsScene("e")
	if l := w.segments(false); len(l) != 1 || l[0].Scenes != 2 || l[0].Pictures != 2 {
		t.Errorf("%+v", l)
	}
}

func TestLegs_NamesBeginOne(t *testing.T) {
	w := newMessageTree(treeOf(t, "a u:b<a c<b e<b u:d<c"))
	w.begins("c")
	if got := drawn(w.segments(false)); got != "0 a-b 2…; 0 c-d 2^1" {
		t.Error(got)
	}
}

// Whatever the tree looks like, each shown message is in one segment, and a segment comes after the one
// that it continues.
func TestLegs_HoldEachMessageOnce(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var places []storage.NodeInfo
		for i := range 1 + rnd.IntN(60) {
			p := storage.NodeInfo{ID: storage.NodeID(fmt.Sprintf("m%03d", i)), Role: []storage.Role{storage.User, storage.Assistant, storage.SceneCapture}[rnd.IntN(3)], Deleted: rnd.IntN(8) == 0, Size: 1}
			if i > 0 && rnd.IntN(12) > 0 {
				up := places[max(0, i-1-rnd.IntN(4))]
				p.Parent, p.Depth = up.ID, up.Depth+1
			}
			places = append(places, p)
		}
		shown := len(slices.DeleteFunc(slices.Clone(places), func(p storage.NodeInfo) bool { return p.Deleted }))
		for _, swipes := range []bool{true, false} {
			w := newMessageTree(places)
			for id := places[len(places)-1].ID; id != ""; {
				i := w.find(id, -1)
				w.path[i], id = true, places[i].Parent
			}
			for range rnd.IntN(4) {
				w.begins(places[rnd.IntN(len(places))].ID)
			}
			sum := 0
			for i, l := range w.segments(swipes) {
				sum += l.Messages + l.Swipes
				if l.Above >= i || l.Messages < 1 {
					t.Fatalf("segment %d is %+v", i, l)
				}
			}
			if sum != shown {
				t.Fatalf("segments of %d messages, not %d (swipes %t): %+v", sum, shown, swipes, places)
			}
		}
	}
}

func BenchmarkLegs(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		places := make([]storage.NodeInfo, n)
		for i := range places {
			places[i] = storage.NodeInfo{ID: storage.NodeID(fmt.Sprintf("m%026d", i)), Role: []storage.Role{storage.User, storage.Assistant}[i%2], Size: 100}
			if up := i - 1 - (i%50)/49*2; i > 0 {
				places[i].Parent, places[i].Depth = places[max(0, up)].ID, places[max(0, up)].Depth+1
			}
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				newMessageTree(places).segments(false)
			}
		})
	}
}
