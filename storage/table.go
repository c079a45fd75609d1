package storage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"unicode"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// MaxRecord is the largest record, in bytes of its stored form.
const MaxRecord = 64 << 20

// records reads and writes one kind of record in a bucket; the bucket is nil if there are no
// records. It holds no state.
type records[K ~string, V any] struct {
	bucket string // the top-level one
	kind   string
	id     func(*V) *K // the record's own field for its key
}

func (t records[K, V]) get(b *bucket, id K) (v V, err error) {
	if b == nil || id == "" {
		return v, &NotFoundError{Kind: t.kind, ID: string(id)}
	}
	data, err := b.get([]byte(id))
	if err != nil {
		return v, err
	}
	if data == nil {
		return v, &NotFoundError{Kind: t.kind, ID: string(id)}
	}
	return t.decode(id, data)
}

func (t records[K, V]) decode(id K, data []byte) (v V, err error) {
	if err := json.Unmarshal(data, &v); err != nil {
		var zero V
		return zero, fmt.Errorf("%w: %s %s: %w", ErrCorrupt, t.kind, id, err)
	}
	return v, nil
}

func (t records[K, V]) has(b *bucket, id K) bool { return b != nil && id != "" && b.has([]byte(id)) }

func (t records[K, V]) delete(b *bucket, id K) error {
	if !t.has(b, id) {
		return &NotFoundError{Kind: t.kind, ID: string(id)}
	}
	return ioError("delete "+t.kind, b.remove([]byte(id)))
}

// each goes through the records, and leaves out those that cannot be read.
func (t records[K, V]) each(tx *Tx, b *bucket, backward bool) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for k, data := range tx.entries(b, backward) {
			v, err := t.decode(K(k), data)
			if err != nil {
				tx.skipped = append(tx.skipped, err)
				continue
			}
			if !yield(K(k), v) {
				return
			}
		}
	}
}

// check reads all records. of says whose they are.
func (t records[K, V]) check(tx *Tx, b *bucket, of string, found *CheckError) {
	for k, data := range tx.readable(b, t.kind, found) {
		v, err := t.decode(K(k), data)
		if err != nil {
			found.add("%s%s %s cannot be read: %v", t.kind, of, k, err)
		} else if own := *t.id(&v); string(own) != k {
			found.add("%s%s %s names itself %s", t.kind, of, k, own)
		}
	}
}

// Table is one kind of record, keyed by its id. It holds no state: the tables
// below are shared by all stores.
type Table[K ~string, V any] struct {
	records[K, V]
	named bool // keys are names, not ULIDs
}

func table[K ~string, V any](bucket, kind string, id func(*V) *K) Table[K, V] {
	return Table[K, V]{records: records[K, V]{bucket, kind, id}}
}

// namedTable returns a table whose keys are names.
func namedTable[K ~string, V any](bucket, kind string, id func(*V) *K) Table[K, V] {
	t := table(bucket, kind, id)
	t.named = true
	return t
}

// The tables. Profiles are keyed by their name.
var (
	Characters = table(bucketCharacters, "character", func(c *Character) *CharacterID { return &c.ID })
	Personas   = table(bucketPersonas, "persona", func(p *Persona) *PersonaID { return &p.ID })
	Chats      = table(bucketChats, "chat", func(c *Chat) *ChatID { return &c.ID })
	Captures   = table("captures", "capture", func(c *Capture) *CaptureID { return &c.ID })
	Operations = table("operations", "operation", func(o *Operation) *OperationID { return &o.ID })
	Lorebooks  = table(bucketLorebooks, "lorebook", func(b *Lorebook) *LorebookID { return &b.ID })
	AllSeries  = table("series", "series", func(s *Series) *SeriesID { return &s.ID })
	Episodes   = table("episodes", "episode", func(e *Episode) *EpisodeID { return &e.ID })
	// Engagements are keyed by the story that they belong to.
	Engagements = table("engagements", "engagement", func(e *Engagement) *ScopeID { return &e.Scope })
	// Tastes and TasteOverrides are keyed by the story, too.
	Tastes         = table("tastes", "profile of taste", func(t *Taste) *ScopeID { return &t.Scope })
	TasteOverrides = table("taste_hands", "edits of a taste profile",
		func(h *ProfileEdits) *ScopeID { return &h.Scope })
	Profiles = namedTable("profiles", "profile", func(p *Profile) *string { return &p.Name })
)

// Get returns the record, or a *NotFoundError.
func (t Table[K, V]) Get(tx *Tx, id K) (V, error) { return t.get(tx.bucket(t.bucket), id) }

// Put stores the record under id, replacing any earlier one. The record's own id must be the same,
// or empty; then it is set in the stored record. Put returns an ErrBadID if id is not well-formed
// or differs from the record's own.
func (t Table[K, V]) Put(tx *Tx, id K, v V) error {
	if err := t.checkKey(string(id)); err != nil {
		return fmt.Errorf("save %s: %w", t.kind, err)
	}
	own := t.id(&v)
	if *own == "" {
		*own = id
	}
	if *own != id {
		return fmt.Errorf("save %s %s: %w: the record names itself %q", t.kind, id, ErrBadID, clip(string(*own), 40))
	}
	return tx.put(t.bucket, t.kind, string(id), v)
}

// Delete removes the record; a *NotFoundError when there is none.
func (t Table[K, V]) Delete(tx *Tx, id K) error {
	return t.delete(tx.bucket(t.bucket), id)
}

// All iterates over the records in the order of their keys; for ids that is the order of creation.
// Records that cannot be read are left out, see Tx.Skipped. In an Update, records may be put and
// deleted during the iteration.
func (t Table[K, V]) All(tx *Tx) iter.Seq2[K, V] { return t.each(tx, tx.bucket(t.bucket), false) }

// Holding returns the records whose stored form has a text, in the order of their keys. The
// others are not read.
func (t Table[K, V]) Holding(tx *Tx, text string) (list []V) {
	for k, data := range tx.entries(tx.bucket(t.bucket), false) {
		if !bytes.Contains(data, []byte(text)) {
			continue
		}
		v, err := t.decode(K(k), data)
		if err != nil {
			tx.skipped = append(tx.skipped, err)
			continue
		}
		list = append(list, v)
	}
	return list
}

// Backward is All from the end.
func (t Table[K, V]) Backward(tx *Tx) iter.Seq2[K, V] { return t.each(tx, tx.bucket(t.bucket), true) }

// Keys returns the keys of all records, the newest first, without reading any of them.
func (t Table[K, V]) Keys(tx *Tx) (list []K) {
	if b := tx.bucket(t.bucket); b != nil {
		for _, k := range slices.Backward(b.keys()) {
			list = append(list, K(k))
		}
	}
	return list
}

// Find returns the keys that begin with prefix, in order, at most limit
// (limit <= 0: all). For ids upper and lower case are the same.
func (t Table[K, V]) Find(tx *Tx, prefix string, limit int) ([]K, error) {
	b := tx.bucket(t.bucket)
	if b == nil {
		return nil, nil
	}
	if !t.named {
		prefix = strings.ToUpper(prefix)
	}
	var found []K
	for k := range b.after([]byte(prefix)) {
		if !bytes.HasPrefix(k, []byte(prefix)) {
			break
		}
		if found = append(found, K(k)); len(found) == limit {
			break
		}
	}
	return found, nil
}

func (t Table[K, V]) owners() (bucket, owners string) { return t.bucket, ofNobody }

func (t Table[K, V]) checkAll(tx *Tx, found *CheckError) { t.check(tx, tx.bucket(t.bucket), "", found) }

func (t Table[K, V]) checkKey(key string) error {
	if t.named {
		return checkName(key)
	}
	return checkULID(key)
}

// checkName accepts what may be a key without being an id.
func checkName(name string) error {
	if name == "" || len(name) > 200 || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return fmt.Errorf("%w: %q", ErrBadID, clip(name, 40))
	}
	return nil
}

// encoded returns a record as JSON, for one who needs the text only until use returns. It keeps <,
// > and & as they are: stories and imported documents are full of them, and nothing stored
// here is ever part of a web page.
func encoded(v any, use func(data []byte) error) error {
	buf := buffers.Get().(*bytes.Buffer)
	defer func() {
		if buf.Cap() <= 1<<20 {
			buffers.Put(buf)
		}
	}()
	buf.Reset()
	if err := jsonv2.MarshalWrite(buf, v, recordOptions); err != nil {
		return err
	}
	return use(buf.Bytes())
}

// recordOptions write a record as encoding/json does, but without the fields that are unset: as
// a document for scripts a record has all of its fields, in the store only those that say
// something. Where nil and empty differ, as with witnesses, both are kept apart.
var recordOptions = jsonv2.JoinOptions(
	jsonv1.DefaultOptionsV1(), jsonv2.OmitZeroStructFields(true), jsontext.EscapeForHTML(false))

// buffers are reused from record to record: growing one takes as long as filling it.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}
