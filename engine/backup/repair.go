package backup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Repaired is the result of Repair.
type Repaired struct {
	// Kept is the new path of the damaged file, "" if nothing was wrong and nothing was done.
	Kept    string       `json:"kept"`
	Records int          `json:"records"` // that could be read
	Gaps    int          `json:"gaps"`    // unreadable parts of the file
	Lost    []LostRecord `json:"lost"`
}

// LostRecord is an unreadable record.
type LostRecord struct {
	Kind   string `json:"kind"`
	ID     string `json:"id"`
	Of     string `json:"of"`     // the chat, character, lorebook or story that it belongs to
	Backup string `json:"backup"` // the backup that it was taken from instead, "" if it is lost
}

// Repair copies the readable records of a damaged data file into a new file that replaces it, and
// takes the others from the newest backup that has them: all of them if nothing is readable. The
// damaged file is kept permanently in the folder of backups, byte by byte. The engine of that
// directory must not be open: if the data file is locked, the error is storage.ErrLocked. Encrypted
// data stays encrypted. An error means that nothing was changed.
func Repair(dataDir string, unlock storage.Unlock) (done Repaired, err error) {
	done.Lost = []LostRecord{}
	path := filepath.Join(dataDir, dataName+".db")
	o := storage.Options{Program: "ghostlight doctor --repair", Unlock: unlock}
	if _, err := os.Stat(path); err == nil {
		o.AsIs = true // keep the file as it is now
	}
	held, err := storage.Open(path, o)
	if errors.Is(err, storage.ErrOlder) {
		o.AsIs = false
		held, err = storage.Open(path, o)
	}
	if err != nil && !errors.Is(err, storage.ErrCorrupt) && !errors.Is(err, storage.ErrKeyRecord) {
		return done, failure.Wrap("repair", err)
	}
	if held != nil {
		defer func() { err = errors.Join(err, held.Close()) }()
		if held.Check() == nil {
			return done, nil
		}
	}
	list, err := backupFiles(dataDir, true)
	if err != nil {
		return done, err
	}
	var from []string
	for _, b := range list {
		from = append(from, b.Path)
	}
	err = swap(path, held != nil, func(fresh string) error {
		got, err := storage.Salvage(path, fresh, from, unlock)
		if err != nil {
			return err
		}
		done.Records, done.Gaps = got.Kept, got.Gaps
		for _, l := range got.Lost {
			done.Lost = append(done.Lost, LostRecord{kindOf(l.Table), l.Key, l.Owner, l.Backup})
		}
		done.Kept, err = copyRaw(path, keptDamaged)
		return err
	})
	if err != nil {
		return Repaired{Lost: []LostRecord{}}, failure.Wrap("repair", err)
	}
	return done, nil
}

// kindOf returns the name of a table's records for display.
func kindOf(table string) string {
	if kind, ok := map[string]string{
		"nodes": "message", "texts": "draft", "lore_entries": "lorebook entry", "lore_revisions": "revision",
		"lore_turns":   "record of triggered lore",
		"lore_changes": "change to the lorebook", "stage_notes": "record of notes in the prompt",
		"running": "running recap", "series": "series",
		"memories": "memory", "batches": "capture batch", "continuity": "line of the continuity sheet",
		"storyboard_calls": "storyboard call",
		"taste_memories":   "lessons from a scene", "taste_hands": "edit of a taste profile",
		"move_ins": "import report", "moved_in": "import record",
	}[table]; ok {
		return kind
	}
	return strings.TrimSuffix(table, "s")
}

// Text describes the result in a sentence.
func (r Repaired) Text() string {
	if r.Kept == "" {
		return "the data file is not damaged; nothing to do"
	}
	gone := 0
	for _, l := range r.Lost {
		if l.Backup == "" {
			gone++
		}
	}
	words := fmt.Sprintf("%s saved", failure.Count(r.Records, "record"))
	if n := len(r.Lost) - gone; n > 0 {
		words += fmt.Sprintf(", %d restored from backups", n)
	}
	words += fmt.Sprintf(", %d lost", gone)
	if r.Gaps > 0 {
		words += "; of " + failure.Count(r.Gaps, "place") + " of the file could not be read, more may be missing"
	}
	return words + "; the damaged file is " + r.Kept
}
