package storage

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"

	bolt "go.etcd.io/bbolt"
)

// The top-level buckets. chatBuckets hold one bucket per chat and bookBuckets
// one per lorebook: in nodes, NodeID -> Node; in children, parent 0x00 child ->
// nothing, or markDeleted, so that walking down the tree reads no message; in
// spine, NodeID -> Place, so that walking up reads none either.
const (
	bucketMeta       = "meta"
	bucketSettings   = "settings"
	bucketTexts      = "texts" // one bucket per kind
	bucketCharacters = "characters"
	bucketAvatars    = "avatars"
	bucketPersonas   = "personas"
	bucketChats      = "chats"
	bucketNodes      = "nodes"
	bucketChildren   = "children"
	bucketCaptures   = "captures"
	bucketOperations = "operations"
	bucketProfiles   = "profiles"
	bucketSpine      = "spine"
	bucketBreaks     = "breaks"
	bucketRecaps     = "recaps"
	bucketRunnings   = "running"

	bucketLorebooks     = "lorebooks"
	bucketLoreEntries   = "lore_entries"
	bucketLoreRevisions = "lore_revisions"
	bucketLoreTurns     = "lore_turns"
	bucketLoreChanges   = "lore_changes"

	bucketSeries      = "series"
	bucketEpisodes    = "episodes"
	bucketBeats       = "beats"
	bucketNotes       = "stage_notes"
	bucketMemories    = "memories"
	bucketHooks       = "hooks"
	bucketVectors     = "vectors"
	bucketEngagements = "engagements"

	bucketBatches    = "batches"
	bucketContinuity = "continuity"
	bucketEdits      = "edits"

	bucketBoards        = "storyboards"
	bucketBoardCalls    = "storyboard_calls"
	bucketTasteMemories = "taste_memories"
	bucketTastes        = "tastes"
	bucketTasteHands    = "taste_hands"

	bucketClocks = "clocks"

	bucketWords = "words" // see words.go

	bucketLoreKeys = "lore_keys" // keys of lorebooks that earlier builds kept; nobody reads them
	bucketPresets  = "presets"   // see PutPreset
	bucketAssets   = "assets"    // one bucket per character; see PutAsset
	bucketMovedIn  = "moved_in"
	bucketMoveIns  = "move_ins"

	bucketRegexScripts = "regex_scripts"
	bucketCardRegexes  = "card_regex"

	keySchema = "schema" // in meta: the version, in decimal
)

// lateBuckets are those that files of before version 9 have only where something is in them.
func lateBuckets() []string {
	return []string{bucketChanges, bucketLoreKeys, bucketPresets, bucketAssets, bucketMovedIn, bucketMoveIns, bucketRegexScripts, bucketCardRegexes}
}

// tables are all top-level buckets of a file, but for meta.
func tables() []string {
	return append([]string{
		bucketSettings, bucketTexts, bucketCharacters, bucketAvatars, bucketPersonas, bucketChats, bucketNodes, bucketChildren,
		bucketCaptures, bucketOperations, bucketProfiles, bucketSpine, bucketBreaks, bucketRecaps, bucketRunnings,
		bucketLorebooks, bucketLoreEntries, bucketLoreRevisions, bucketLoreTurns, bucketLoreChanges,
		bucketSeries, bucketEpisodes, bucketBeats, bucketNotes, bucketMemories, bucketHooks, bucketVectors, bucketEngagements,
		bucketBatches, bucketContinuity, bucketEdits, bucketBoards, bucketBoardCalls, bucketTasteMemories, bucketTastes, bucketTasteHands,
		bucketClocks, bucketWords,
	}, lateBuckets()...)
}

// isNested tells of a top-level bucket that holds a bucket per owner, and no values itself.
func isNested(name string) bool {
	return name == bucketTexts || name == bucketAssets || slices.Contains(chatBuckets(), name) ||
		slices.Contains(bookBuckets(), name) || slices.Contains(scopeBuckets(), name)
}

// migration brings a file from the version before to the next one.
type migration func(*bolt.Tx) error

// versionSealed is the version from which on values have seals.
const versionSealed = 9

// migrations is the file's whole history: the schema version is the number of
// them that were run. Only ever append.
func migrations() []migration {
	return []migration{firstBuckets, spineAndScenes, loreBuckets, stageBuckets, studioBuckets, boardBuckets, clockBuckets, wordBuckets, sealRoom,
		loreWords}
}

func firstBuckets(tx *bolt.Tx) error {
	for _, name := range []string{
		bucketSettings, bucketTexts, bucketCharacters, bucketAvatars, bucketPersonas, bucketChats,
		bucketNodes, bucketChildren, bucketCaptures, bucketOperations, bucketProfiles,
	} {
		if _, err := tx.CreateBucketIfNotExists([]byte(name)); err != nil {
			return err
		}
	}
	return nil
}

// loreBuckets brings a file of version 2 to version 3: there is room for
// lorebooks.
func loreBuckets(tx *bolt.Tx) error {
	for _, name := range []string{bucketLorebooks, bucketLoreEntries, bucketLoreRevisions, bucketLoreTurns, bucketLoreChanges} {
		if _, err := tx.CreateBucketIfNotExists([]byte(name)); err != nil {
			return err
		}
	}
	return nil
}

// stageBuckets brings a file of version 3 to version 4: there is room for series,
// episodes and what is remembered.
func stageBuckets(tx *bolt.Tx) error {
	for _, name := range []string{bucketSeries, bucketEpisodes, bucketBeats, bucketNotes, bucketMemories, bucketHooks, bucketVectors, bucketEngagements} {
		if _, err := tx.CreateBucketIfNotExists([]byte(name)); err != nil {
			return err
		}
	}
	return nil
}

// studioBuckets brings a file of version 4 to version 5: there is room for batches
// of captures, for what a chat looks like, and for what the user changes.
func studioBuckets(tx *bolt.Tx) error {
	for _, name := range []string{bucketBatches, bucketContinuity, bucketEdits} {
		if _, err := tx.CreateBucketIfNotExists([]byte(name)); err != nil {
			return err
		}
	}
	return nil
}

// boardBuckets brings a file of version 5 to version 6: there is room for
// storyboards, and for what is learnt from them.
func boardBuckets(tx *bolt.Tx) error {
	for _, name := range []string{bucketBoards, bucketBoardCalls, bucketTasteMemories, bucketTastes, bucketTasteHands} {
		if _, err := tx.CreateBucketIfNotExists([]byte(name)); err != nil {
			return err
		}
	}
	return nil
}

// clockBuckets brings a file of version 6 to version 7: there is room for the time
// that stories play in.
func clockBuckets(tx *bolt.Tx) error {
	_, err := tx.CreateBucketIfNotExists([]byte(bucketClocks))
	return err
}

// wordBuckets brings a file of version 7 to version 8: there is room for the words of
// messages, by which they are found. What is there is read in the background.
func wordBuckets(tx *bolt.Tx) error {
	_, err := tx.CreateBucketIfNotExists([]byte(bucketWords))
	return err
}

// loreWords brings a file of version 9 to version 10: the position and the logic of lorebook
// entries are words from now on. The numbers that are there are read as before; the version
// keeps older programs, which cannot read the words, from the file.
func loreWords(*bolt.Tx) error { return nil }

// migrate brings the file to the newest version, after a backup when there is
// anything to lose, and returns that version.
func (s *Store) migrate(opts Options) (int, error) {
	found, err := s.readSchema()
	if err != nil {
		return 0, err
	}
	known := len(opts.migrations)
	switch {
	case found == known:
		return found, nil
	case found > known:
		return 0, fmt.Errorf("%w: %s has version %d, this program knows up to %d; use the newer program (nothing was changed)",
			ErrNewer, s.path, found, known)
	case opts.ReadOnly, opts.AsIs:
		return 0, fmt.Errorf("%w: %s has version %d and is read at version %d; open it once for writing",
			ErrOlder, s.path, found, known)
	}
	if found > 0 {
		if _, err := s.backupAs(opts.BackupDir, fmt.Sprintf("before-v%d", known), soundPages); err != nil {
			return 0, fmt.Errorf("backup before updating the data file: %w", err)
		}
	}
	err = s.write(func(tx *bolt.Tx) error {
		for i := found; i < known; i++ {
			if err := opts.migrations[i](tx); err != nil {
				return fmt.Errorf("to version %d: %w", i+1, err)
			}
		}
		meta, err := tx.CreateBucketIfNotExists([]byte(bucketMeta))
		if err != nil {
			return err
		}
		return meta.Put([]byte(keySchema), writeVersion(known, s.key != nil))
	})
	return known, ioError("update data file", err)
}

// versionEncrypted is added to the version of a file that is encrypted: a program that does
// not know of such files takes it for one of a newer program, and leaves it alone.
const versionEncrypted = 1000

func readVersion(stored []byte) (version int, encrypted, ok bool) {
	v, err := strconv.Atoi(string(stored))
	if encrypted = v > versionEncrypted; encrypted {
		v -= versionEncrypted
	}
	return v, encrypted, err == nil && v >= 1
}

func writeVersion(version int, encrypted bool) []byte {
	if encrypted {
		version += versionEncrypted
	}
	return strconv.AppendInt(nil, int64(version), 10)
}

// readSchema returns 0 for a file that holds nothing yet.
func (s *Store) readSchema() (version int, err error) {
	err = s.read(func(tx *bolt.Tx) error {
		meta := tx.Bucket([]byte(bucketMeta))
		if meta == nil {
			if k, _ := tx.Cursor().First(); k != nil {
				return corrupt(s.path, errors.New("it belongs to another program"))
			}
			return nil
		}
		v, _, ok := readVersion(meta.Get([]byte(keySchema)))
		if !ok {
			return corrupt(s.path, errors.New("it names no version"))
		}
		version = v
		return nil
	})
	return version, err
}

// initialMapSize is 0 where a large map costs more than address space.
func initialMapSize(readOnly bool) int {
	if readOnly || runtime.GOOS == "windows" || strconv.IntSize < 64 {
		return 0
	}
	return initialMap
}
