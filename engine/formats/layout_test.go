package formats

import (
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// TestWriteBook_OddBooksLeaveAsTheyCame writes books whose entries the program
// keeps in another order, or under uids and a name of its own making.
func TestWriteBook_OddBooksLeaveAsTheyCame(t *testing.T) {
	tests := []struct{ name, book string }{
		{"a list that is not by id", `{"name":"B","extensions":{},"entries":[{"id":5,"keys":["e"],"content":"1"},{"id":3,"keys":["c"],"content":"2"},{"id":9,"keys":["i"],"content":"3"}]}`},
		{"ids that are no numbers among ones that are", `{"name":"B","entries":[{"id":"b","keys":["b"],"content":"1"},{"id":0,"keys":["z"],"content":"2"},{"keys":["n"],"content":"3"}]}`},
		{"an id that another's place would have", `{"name":"B","entries":[{"id":1,"keys":["b"],"content":"1"},{"keys":["n"],"content":"2"}]}`},
		{"World Info as a list", `{"entries":[{"uid":3,"key":["a"],"content":"1"},{"uid":1,"key":["b"],"content":"2"},{"key":["c"],"content":"3"}]}`},
		{"names that are no numbers", `{"entries":{"toString":{"key":["a"],"content":"1"},"__proto__":{"uid":0,"key":["b"],"content":"2"},"-1":{"key":["c"],"content":"3"}}}`},
		{"names that are not by uid", `{"entries":{"z":{"uid":3,"key":["a"],"content":"1"},"a":{"uid":1,"key":["b"],"content":"2"}}}`},
		{"white space in the name", `{"entries":{"0":{"uid":0,"key":["a"],"content":"1"}},"name":" My\r\n  Book "}`},
		{"lorebook_v3", `{"spec":"lorebook_v3","data":{"entries":[{"id":7,"keys":["a"],"content":"1"},{"id":2,"keys":["b"],"content":"2"}],"name":"x"},"more":1}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := mustBook(t, "b.json", []byte(tt.book))
			in.Book.Name = strings.Join(strings.Fields(in.Book.Name), " ") // a name is one line there
			byUID(in.Entries)
			if out := mustWriteBook(t, FormatOriginal, in.Book, in.Entries); string(out) != tt.book {
				t.Errorf("got  %s\nwant %s", out, tt.book)
			}
		})
	}
}

func TestWriteBook_NewEntriesStandBehindThoseOfTheFile(t *testing.T) {
	in := mustBook(t, "b.json", []byte(`{"entries":[{"uid":3,"key":["a"],"content":"1"},{"uid":1,"key":["b"],"content":"2"},{"uid":2,"key":["c"],"content":"3"}]}`))
	fresh := storage.NewLoreEntry()
	fresh.UID, fresh.Name = in.Book.NextUID, "new"
	byUID(in.Entries)
	entries := append(slices.Clone(in.Entries[1:]), fresh) // the one of uid 1 was deleted
	again := mustBook(t, "b.json", mustWriteBook(t, FormatOriginal, in.Book, entries))
	var uids []int
	for i := range again.Entries {
		uids = append(uids, again.Entries[i].UID)
	}
	if want := []int{3, 2, 4}; !slices.Equal(uids, want) {
		t.Errorf("uids %v, want %v", uids, want)
	}
}

func TestWriteBook_ARenamedBookHasItsNewName(t *testing.T) {
	in := mustBook(t, "b.json", []byte(`{"entries":{},"name":" My  Book "}`))
	in.Book.Name = "My Other Book"
	if out, want := string(mustWriteBook(t, FormatOriginal, in.Book, nil)), `{"entries":{},"name":"My Other Book"}`; out != want {
		t.Errorf("got %s, want %s", out, want)
	}
}

// byUID is the order in which the program keeps entries.
func byUID(entries []storage.LoreEntry) {
	slices.SortFunc(entries, func(a, b storage.LoreEntry) int { return a.UID - b.UID })
}
