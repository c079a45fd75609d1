package storage

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// maxAssetLen is the longest path of an asset, in bytes.
const maxAssetLen = 1_000

// PutAsset keeps a file that came with a character's card, under its path there. A
// *NotFoundError if there is no such character.
func (tx *Tx) PutAsset(id CharacterID, path string, data []byte) error {
	const kind = "asset"
	if !tx.has(bucketCharacters, string(id)) {
		return &NotFoundError{Kind: Characters.kind, ID: string(id)}
	}
	if path == "" || len(path) > maxAssetLen || !utf8.ValidString(path) {
		return fmt.Errorf("save %s: %w: %q", kind, ErrBadID, clip(path, 40))
	}
	b, err := tx.bucket(bucketAssets).make(string(id))
	if err != nil {
		return ioError("save "+kind, err)
	}
	return b.putBytes(kind, path, data)
}

// Asset returns a file that came with a character's card, or a *NotFoundError.
func (tx *Tx) Asset(id CharacterID, path string) ([]byte, error) {
	if b := tx.inner(bucketAssets, string(id)); b != nil && path != "" {
		if data, err := b.get([]byte(path)); data != nil || err != nil {
			return bytes.Clone(data), err
		}
	}
	return nil, &NotFoundError{Kind: "asset", ID: path}
}

// Assets returns the paths of the files that came with a character's card, in order, and how
// many bytes each has.
func (tx *Tx) Assets(id CharacterID) (paths []string, sizes []int) {
	for path, data := range tx.values(tx.inner(bucketAssets, string(id)), false) {
		paths, sizes = append(paths, path), append(sizes, data.size())
	}
	return paths, sizes
}

// DeleteAssets removes all files that came with a character's card.
func (tx *Tx) DeleteAssets(id CharacterID) error {
	return ioError("delete assets", tx.drop(string(id), bucketAssets))
}
