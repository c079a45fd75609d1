package storage

import (
	"bytes"
	"encoding/json"
	"fmt"

	bolterrors "go.etcd.io/bbolt/errors"
)

// Avatar returns the character's picture (PNG), or a *NotFoundError.
func (tx *Tx) Avatar(id CharacterID) ([]byte, error) {
	data, err := tx.get(bucketAvatars, string(id))
	if err != nil {
		return nil, err
	}
	if data == nil {
		return nil, &NotFoundError{Kind: "avatar", ID: string(id)}
	}
	return bytes.Clone(data), nil
}

// PutAvatar keeps png as the character's picture; with no bytes it removes the
// one there is. The character's record is not touched.
func (tx *Tx) PutAvatar(id CharacterID, png []byte) error {
	if err := checkULID(string(id)); err != nil {
		return fmt.Errorf("save avatar: %w", err)
	}
	if len(png) == 0 {
		return ioError("delete avatar", tx.bucket(bucketAvatars).remove([]byte(id)))
	}
	return tx.bucket(bucketAvatars).putBytes("avatar", string(id), png)
}

// Setting reads the setting key into the value that into points to; false when
// it was never set.
func (tx *Tx) Setting(key string, into any) (bool, error) {
	data, err := tx.get(bucketSettings, key)
	if err != nil || data == nil {
		return false, err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return false, fmt.Errorf("setting %s: %w", key, err)
	}
	return true, nil
}

// PutSetting keeps v, as JSON, under key. A nil v removes the setting.
func (tx *Tx) PutSetting(key string, v any) error {
	if err := checkName(key); err != nil {
		return fmt.Errorf("save setting: %w", err)
	}
	if v == nil {
		return ioError("delete setting", tx.bucket(bucketSettings).remove([]byte(key)))
	}
	return tx.put(bucketSettings, "setting", key, v)
}

// Text returns the text of a kind for key, "" if there is none. Kinds are short names such as
// "draft" and "sent"; keys are mostly chat ids.
func (tx *Tx) Text(kind, key string) (string, error) {
	b := tx.inner(bucketTexts, kind)
	if b == nil || key == "" {
		return "", nil
	}
	text, err := b.get([]byte(key))
	return string(text), err
}

// PutText keeps text; "" removes it.
func (tx *Tx) PutText(kind, key, text string) error {
	for _, name := range []string{kind, key} {
		if err := checkName(name); err != nil {
			return fmt.Errorf("save text: %w", err)
		}
	}
	texts := tx.bucket(bucketTexts)
	if !tx.open().Writable() {
		return ioError("save text", bolterrors.ErrTxNotWritable)
	}
	b, err := texts.make(kind)
	if err != nil {
		return ioError("save text", err)
	}
	if text == "" {
		return ioError("delete text", b.remove([]byte(key)))
	}
	return b.putBytes("text", key, []byte(text))
}

// DeleteChat removes the chat with everything that belongs to it alone: its
// messages, scenes, recaps, lorebook, texts (drafts, sent lines) and the records
// of its captures.
// Picture files are the caller's. A *NotFoundError when there is no such chat.
func (tx *Tx) DeleteChat(id ChatID) error {
	if err := Chats.Delete(tx, id); err != nil {
		return err
	}
	if err := tx.drop(string(id), tablesOf(ofChats)...); err != nil {
		return ioError("delete chat", err)
	}
	if err := tx.DeleteStory(ScopeID(id)); err != nil {
		return err
	}
	for bid, b := range Lorebooks.All(tx) {
		if b.Kind != ChatBook || b.Chat != id {
			continue
		}
		if err := tx.DeleteLorebook(bid); err != nil {
			return err
		}
	}
	texts := tx.bucket(bucketTexts)
	for _, kind := range texts.keys() {
		if err := texts.in(kind).remove([]byte(id)); err != nil {
			return ioError("delete chat", err)
		}
	}
	for cid, c := range Captures.All(tx) {
		if c.Chat != id {
			continue
		}
		if err := Captures.Delete(tx, cid); err != nil {
			return err
		}
	}
	return nil
}

// Counts returns how many records of each kind there are, by the plural of the
// kind ("characters", "chats", "messages" ...). It reads the whole file's
// index: for a report, not for a screen.
func (tx *Tx) Counts() map[string]int {
	counts := map[string]int{}
	for _, name := range []string{bucketCharacters, bucketPersonas, bucketChats, Captures.bucket, Operations.bucket,
		Profiles.bucket, bucketSettings, AllSeries.bucket, Episodes.bucket} {
		counts[name] = tx.bucket(name).count()
	}
	for name, bucket := range map[string]string{"messages": bucketNodes, "scene breaks": Breaks.bucket,
		"recaps": Recaps.bucket, "running recaps": RunningRecaps.bucket} {
		counts[name] = 0
		if outer := tx.bucket(bucket); outer != nil {
			for _, chat := range outer.keys() {
				counts[name] += outer.in(chat).count()
			}
		}
	}
	return counts
}

// DeleteStory removes everything that is remembered about a story: memories, hooks, engagement and
// taste. It is no error if there is nothing.
func (tx *Tx) DeleteStory(scope ScopeID) error {
	if err := tx.drop(string(scope), tablesOf(ofStories)...); err != nil {
		return ioError("delete story", err)
	}
	for _, name := range []string{Engagements.bucket, Tastes.bucket, TasteOverrides.bucket} {
		if err := tx.bucket(name).remove([]byte(scope)); err != nil {
			return ioError("delete story", err)
		}
	}
	return nil
}

// DeleteLorebook permanently removes a book with its entries and their revisions. It returns a
// *NotFoundError if there is no such book.
func (tx *Tx) DeleteLorebook(id LorebookID) error {
	if err := Lorebooks.Delete(tx, id); err != nil {
		return err
	}
	return ioError("delete lorebook", tx.drop(string(id), tablesOf(ofBooks)...))
}
