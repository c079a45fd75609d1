package formats

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Whatever a file is that was not asked for, each reader says what it is and what to do.
func TestRefusals_SayWhatTheFileIs(t *testing.T) {
	chat := load(t, "chat.jsonl")
	preset := []byte(`{"temp":1,"top_p":0.9,"rep_pen":1.1}`)
	book := load(t, "lorebook.json")
	card := load(t, "v2.json")
	const picture, text, pdf, chatWords = "picture without a card", "this is a plain text: choose", "this is a PDF document: choose", "this is a chat in JSONL: import it as a chat"
	all := []struct {
		name, words string
		data        []byte
	}{
		{"a.jpg", "this is a JPEG " + picture, plainJPEG(t)}, {"a.webp", "this is a WebP " + picture, plainWebP(t)},
		{"a.png", "this is a PNG " + picture, plainPNG(t)},
		{"a.jsonl", chatWords, chat}, {"a.json", chatWords, chat},
		{"a.json", "this is a preset", preset}, {"a.json", "this is a lorebook", book}, {"a.json", "this is a character card", card},
		{"a.txt", text, []byte("hello")}, {"a.pdf", pdf, []byte("%PDF-1.7")}, {"a.json", "a web page or XML", []byte("<html>")},
		{"a.gguf", "this is the file of a model", []byte("GGUF\x03\x00\x00\x00")}, {"a.gz", "GZIP archive (unpack it first)", []byte("\x1f\x8b\x08\x00")},
		{"a.mp3", "this is a sound file", []byte("ID3\x03\x00\x00")}, {"a.bin", "unknown type", []byte("\x01\x02\x03\x00\xff")},
		{"a.zip", "this is a ZIP archive", archive(t, entry{"x.txt", []byte("hello")})},
	}
	readers := []struct {
		name string
		read func(name string, data []byte) error
		own  []string // the words of files that it reads, or words in its own way
	}{
		{"card", func(name string, data []byte) error { return second(ReadCard(name, data)) },
			[]string{"this is a JPEG " + picture, "this is a WebP " + picture, "this is a PNG " + picture, "this is a character card", "this is a ZIP archive"}},
		{"book", func(name string, data []byte) error { return second(ReadBook(name, data)) }, []string{"this is a lorebook", "this is a character card"}},
		{"preset", func(name string, data []byte) error { return second(ReadPreset(name, data)) }, []string{"this is a preset"}},
		{"regex", func(name string, data []byte) error { return second(ReadRegex(name, data)) },
			[]string{"this is a PNG " + picture, "this is a preset", "this is a character card"}},
		{"group", func(name string, data []byte) error { return second(ReadGroup(name, data)) }, []string{chatWords}},
		{"personas", func(_ string, data []byte) error { _, _, err := readPersonas(data); return err }, nil},
	}
	for _, r := range readers {
	files:
		for _, f := range all {
			for _, own := range r.own {
				if own == f.words {
					continue files
				}
			}
			if err := r.read(f.name, f.data); err == nil || !strings.Contains(err.Error(), f.words) {
				t.Errorf("%s of %s: %v, want %q", r.name, f.name, err, f.words)
			}
		}
	}
}

// What is a card to character import is one to lore import, with the same lorebook.
func TestReadBook_InCardsOfOtherPrograms(t *testing.T) {
	yaml := []byte("name: Mara Quill\ndescription: d\ncharacter_book:\n  entries:\n    - keys: [lamp]\n      content: Oil.\n")
	backyard := foreignFile(t, "backyard_v4.json")
	exif := append([]byte("Exif\x00\x00"), tiffWith(binary.LittleEndian, "II", "ASCII\x00\x00\x00"+base64.StdEncoding.EncodeToString(backyard))...)
	for name, data := range map[string][]byte{
		"agnai_text.json": foreignFile(t, "agnai_text.json"), "backyard_v1.json": foreignFile(t, "backyard_v1.json"),
		"backyard_v4.json": backyard, "card.yaml": yaml, "card.byaf": backyardArchive(t), "card.jpg": jpegWith(t, 0xe1, exif),
		"card.webp": webpWith(t, exif), "card.png": withChunks(plainPNG(t), makeChunk("eXIf", exif)),
	} {
		card := mustRead(t, name, data)
		want, ok, err := CardBook(card.Source)
		if !ok || err != nil || len(want.Entries) == 0 {
			t.Errorf("%s: the card has no lorebook: %v", name, err)
			continue
		}
		got := mustBook(t, name, data)
		if diff := cmp.Diff(plain(want.Entries), plain(got.Entries)); diff != "" || got.Book.Name != want.Book.Name {
			t.Errorf("%s: %q, want %q %s", name, got.Book.Name, want.Book.Name, diff)
		}
	}
	if _, err := ReadBook("card.yaml", foreignFile(t, "textgen.yaml")); !errors.Is(err, ErrNotBook) || !strings.Contains(err.Error(), "this card has no lorebook") {
		t.Error(err)
	}
}
