package lore_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// atlas are so many entries, of which each names the next one.
func atlas(n int) []storage.LoreEntry {
	list := make([]storage.LoreEntry, n)
	for i := range list {
		list[i] = enginetest.Keyed(fmt.Sprintf("Isle %d", i), fmt.Sprintf("[place-Isle %d: one sails on to(port%dx)]", i, i*7), fmt.Sprintf("isle%dx", i), fmt.Sprintf("port%dx", i))
	}
	return list
}

// sentFrom is what is sent by a program that has just started, and what of the books
// it has read: of a large one only what is needed.
func sentFrom(t *testing.T, spoil func(*stage, storage.LorebookID)) []string {
	s := (&stage{enginetest.NewStage(t)})
	book, _ := s.Book(storage.Lorebook{Name: "Atlas"}, atlas(600)...)
	var sent []string
	for _, text := range []string{"We sail to isle3x.", "And what of isle90x?", "Back to isle3x and port599x."} {
		spoil(s, book)
		s.Say(text)
		sent = append(sent, enginetest.Flat(s.Asked()[len(s.Asked())-1]))
	}
	s.Sound()
	return sent
}

func keysAre(s *stage, book storage.LorebookID) (version int, packed []byte) {
	enginetest.Must(s.T, s.Engine.Core().Store.View(func(tx *storage.Tx) error {
		v, data := tx.LoreKeys(book)
		version, packed = v, append([]byte(nil), data...)
		return nil
	}))
	return version, packed
}

func TestBookInPart_SendsTheSame(t *testing.T) {
	t.Parallel()
	want := sentFrom(t, func(s *stage, book storage.LorebookID) {
		s.Reopen()
		if version, packed := keysAre(s, book); packed != nil { // those of another version are not used: it is read whole
			enginetest.Must(s.T, s.Engine.Core().Store.Update(func(tx *storage.Tx) error { return tx.PutLoreKeys(book, version-1, packed) }))
		}
	})
	mixed := sentFrom(t, func(*stage, storage.LorebookID) {}) // whole first, and in part once its keys are kept
	started := 0
	got := sentFrom(t, func(s *stage, book storage.LorebookID) {
		s.Reopen()
		if _, packed := keysAre(s, book); packed != nil {
			started++
		}
	})
	if started != 2 {
		t.Errorf("the keys were kept before %d turns", started)
	}
	damaged := sentFrom(t, func(s *stage, book storage.LorebookID) {
		s.Reopen()
		if version, packed := keysAre(s, book); packed != nil {
			packed[len(packed)/2] ^= 1
			enginetest.Must(s.T, s.Engine.Core().Store.Update(func(tx *storage.Tx) error { return tx.PutLoreKeys(book, version, packed) }))
		}
	})
	for i := range want {
		if got[i] != want[i] || damaged[i] != want[i] || mixed[i] != want[i] {
			t.Errorf("turn %d: whole\n%s\nin part\n%s\nboth\n%s\ndamaged\n%s", i, want[i], got[i], mixed[i], damaged[i])
		}
	}
}

// The keys of a large book that comes in are kept before anybody plays with it.
func TestBookInPart_FromItsImport(t *testing.T) {
	t.Parallel()
	s := (&stage{enginetest.NewStage(t)})
	var doc strings.Builder
	doc.WriteString(`{"name":"Atlas","entries":{`)
	for i := range 600 {
		fmt.Fprintf(&doc, `"%d":{"uid":%d,"key":["/isle%dx/i"],"content":"[place-Isle %d: far]"},`, i, i, i, i)
	}
	got, err := s.Lore.Import(enginetest.Write(t, "atlas.json", strings.TrimSuffix(doc.String(), ",")+"}}"), storage.Lorebook{})
	enginetest.Must(t, err)
	s.Reopen()
	if version, packed := keysAre(s, got.Book.ID); packed == nil || version != got.Book.Version {
		t.Fatal("no keys were kept")
	}
	s.Say("To ISLE77x!")
	if sent := enginetest.Flat(s.Asked()[len(s.Asked())-1]); !strings.Contains(sent, "[place-Isle 77:") || strings.Contains(sent, "[place-Isle 7:") {
		t.Errorf("%s", sent)
	}
}

// An entry that is changed leaves no old keys behind.
func TestBookInPart_FollowsTheBook(t *testing.T) {
	t.Parallel()
	s := (&stage{enginetest.NewStage(t)})
	book, ids := s.Book(storage.Lorebook{Name: "Atlas"}, atlas(600)...)
	s.Say("We sail.")
	s.Reopen()
	x := s.entry(book, ids[5]).LoreEntry
	x.Keys = []string{"kraken"}
	_, err := s.Lore.SaveEntry(book, s.Chat, x)
	enginetest.Must(t, err)
	s.Reopen()
	for _, how := range []string{"whole", "in part"} {
		s.Say("Beware of the kraken.")
		if sent := enginetest.Flat(s.Asked()[len(s.Asked())-1]); !strings.Contains(sent, "[place-Isle 5:") {
			t.Errorf("%s: the new key does not wake its entry:\n%s", how, sent)
		}
		s.Reopen()
	}
}
