package storage

import (
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strconv"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// The top-level buckets that more than one table's code speaks of: in nodes, NodeID -> Node; in
// children, parent 0x00 child -> nothing, or markDeleted, so that walking down the tree reads
// no message; in spine, NodeID -> NodeInfo, so that walking up reads none either.
const (
	bucketMeta         = "meta"
	bucketSettings     = "settings"
	bucketTexts        = "texts" // one bucket per kind
	bucketCharacters   = "characters"
	bucketAvatars      = "avatars"
	bucketPersonas     = "personas"
	bucketChats        = "chats"
	bucketNodes        = "nodes"
	bucketChildren     = "children"
	bucketPlaces       = "spine"
	bucketWords        = "words" // see words.go
	bucketLorebooks    = "lorebooks"
	bucketAssets       = "assets" // see PutAsset
	bucketRegexScripts = "regex_scripts"
	bucketCardRegexes  = "card_regex"

	keySchema = "schema" // in meta: the version, in decimal
)

// A top-level bucket holds values, or one bucket for each owner: of a table, or of another kind.
const (
	ofNobody  = ""
	ofChats   = bucketChats
	ofBooks   = bucketLorebooks
	ofStories = "stories"
	ofOthers  = "others" // kinds of texts, characters
)

// recordTable is a table of records.
type recordTable interface {
	// owners returns the table's bucket, and whose buckets that holds.
	owners() (bucket, owners string)
	checkAll(tx *Tx, found *CheckError)
}

// recordTables are all tables of records. What is not among them is not in a new file, not
// checked and not repaired.
var recordTables = []recordTable{
	Characters, Personas, Chats, Captures, Operations, Profiles, MovedIn, MoveIns, Presets, RegexScripts, CardRegexes,
	Breaks, Recaps, RunningRecaps, Lorebooks, LoreEntries, LoreRevisions, LoreTurns, LoreChanges,
	AllSeries, Episodes, Engagements, TurnRecords, Notes, Clocks, Changes, Batches, Facts, Edits, Boards, BoardCalls,
	TasteMemories, Tastes, TasteOverrides, Memories, Hooks, Vectors,
}

// layout is the top-level buckets of a file, but for meta, with whose buckets they hold.
var layout = func() map[string]string {
	all := map[string]string{
		bucketSettings: ofNobody, bucketAvatars: ofNobody, bucketTexts: ofOthers, bucketAssets: ofOthers,
		bucketNodes: ofChats, bucketChildren: ofChats, bucketPlaces: ofChats, bucketWords: ofChats,
	}
	for _, t := range recordTables {
		bucket, owners := t.owners()
		all[bucket] = owners
	}
	return all
}()

// tables returns the top-level buckets of a file, but for meta.
func tables() []string { return slices.Sorted(maps.Keys(layout)) }

// tablesOf returns the top-level buckets that hold one bucket per owner of a kind.
func tablesOf(owners string) []string {
	return slices.DeleteFunc(tables(), func(name string) bool { return layout[name] != owners })
}

// isNested reports whether a top-level bucket contains one bucket per owner, and no values itself.
func isNested(name string) bool { return layout[name] != ofNobody }

// The versions of the file's layout: the one that this program writes, and the oldest that it
// brings up to it.
const (
	schemaVersion = 11
	schemaOldest  = 9
)

// makeTables makes the tables of a new file. All are there from then on, empty ones too: one that
// is missing was lost.
func makeTables(tx *bolt.Tx) error {
	for _, name := range tables() {
		if _, err := tx.CreateBucketIfNotExists([]byte(name)); err != nil {
			return err
		}
	}
	return nil
}

// Names in files before version 11: the unused keys of lorebooks, and a key in meta that says
// whether all values have seals.
const (
	oldLoreKeys = "lore_keys"
	oldSealed   = "sealed"
	oldAll      = "all"
)

// fromLastBuild updates a file of version 9 or 10 to the present version. The index of words had
// another form; it is rebuilt in the background. Tables that were introduced without a new version
// may be missing.
func fromLastBuild(tx *bolt.Tx) error {
	for _, name := range []string{bucketWords, oldLoreKeys} {
		if err := tx.DeleteBucket([]byte(name)); err != nil && !errors.Is(err, bolterrors.ErrBucketNotFound) {
			return err
		}
	}
	for _, name := range []string{bucketWords, bucketRegexScripts, bucketCardRegexes} {
		if _, err := tx.CreateBucketIfNotExists([]byte(name)); err != nil {
			return err
		}
	}
	return tx.Bucket([]byte(bucketMeta)).Delete([]byte(oldSealed))
}

// migrate brings the file to this program's version, after a backup when there is anything to
// lose.
func (s *Store) migrate(opts Options) error {
	found, whole, err := s.readSchema()
	switch {
	case err != nil || found == schemaVersion:
		return err
	case found > schemaVersion:
		return fmt.Errorf(
			"%w: %s has version %d, this program knows up to %d; use the newer program (nothing was changed)",
			ErrNewer, s.path, found, schemaVersion)
	case found > 0 && (found < schemaOldest || !whole):
		return fmt.Errorf("%w: %s has version %d, this program reads version %d and later; "+
			"open it once with the program that wrote it and export with move-out, then move-in here (nothing was "+
			"changed)",
			ErrTooOld, s.path, found, schemaOldest)
	case opts.ReadOnly, opts.AsIs:
		return fmt.Errorf("%w: %s has version %d and is read at version %d; open it once for writing",
			ErrOlder, s.path, found, schemaVersion)
	}
	change := makeTables
	if found > 0 {
		change = fromLastBuild
		if _, err := s.backupAs(opts.BackupDir, fmt.Sprintf("before-v%d", schemaVersion), checkCopyPages); err != nil {
			return fmt.Errorf("backup before updating the data file: %w", err)
		}
	}
	err = s.write(func(tx *bolt.Tx) error {
		meta, err := tx.CreateBucketIfNotExists([]byte(bucketMeta))
		if err != nil {
			return err
		}
		if err := change(tx); err != nil {
			return fmt.Errorf("to version %d: %w", schemaVersion, err)
		}
		return meta.Put([]byte(keySchema), writeVersion(schemaVersion, s.key != nil))
	})
	return ioError("update data file", err)
}

// versionEncrypted is added to the version of an encrypted file: a program that does not know
// encrypted files takes it for a file of a newer program, and leaves it alone.
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

// readSchema returns the file's version, 0 for a file that holds nothing yet, and whether an earlier
// program had brought all of it up to that.
func (s *Store) readSchema() (version int, whole bool, err error) {
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
		sealed := meta.Get([]byte(oldSealed))
		version, whole = v, sealed == nil || string(sealed) == oldAll
		return nil
	})
	return version, whole, err
}

// initialMapSize returns the initial size of the memory map, 0 on systems where a large map costs
// more than address space.
func initialMapSize(readOnly bool) int {
	if readOnly || runtime.GOOS == "windows" || strconv.IntSize < 64 {
		return 0
	}
	return initialMap
}
