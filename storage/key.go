package storage

import (
	"bytes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"filippo.io/age"
	"golang.org/x/crypto/blake2b"
	"golang.org/x/crypto/chacha20poly1305"
)

// The faults of a data file that is encrypted.
var (
	// ErrNoPassphrase: it is encrypted, and no passphrase was given.
	ErrNoPassphrase = errors.New("the data file is encrypted")
	// ErrPassphrase: the passphrase is another one.
	ErrPassphrase = errors.New("the passphrase is wrong")
	// ErrKeyRecord: what the passphrase opens is damaged or missing.
	ErrKeyRecord = errors.New("the key record of the data file is damaged")
)

// keyWork is the scrypt work factor of a passphrase: one attempt costs a fraction of a second and
// 128 MB. maxWork is the largest factor that is accepted in a record made by another program.
const (
	keyWork = 17
	maxWork = 20
)

// Key encrypts the values of a data file and the files that belong to it. It is random, and does
// not change until the file is decrypted: a passphrase only opens the WrappedKey that holds the key.
type Key struct {
	id    string
	main  []byte
	seals cipher.AEAD
	names []byte
	files *age.X25519Identity
	// fileHead is the length of an encrypted file's head in bytes.
	fileHead int
}

// ID returns an identifier of the key that reveals nothing about it.
func (k *Key) ID() string { return k.id }

// WrappedKey is a Key behind a passphrase. It is the one thing that an encrypted data file lets
// everybody read.
type WrappedKey struct {
	ID string `json:"id"` // of the key
	// Wrapped is an age file for a passphrase; in it are the key, and the age identity of
	// the files.
	Wrapped []byte `json:"wrapped"`
	Sum     []byte `json:"sum"` // of both: damage must not look like a wrong passphrase
}

// Unlock returns the key of a wrapped key. It may ask the user for the passphrase.
type Unlock func(WrappedKey) (*Key, error)

// keySecret is the content of a wrapped key.
type keySecret struct {
	Key   []byte `json:"key"`
	Files string `json:"files"`
}

// NewKey makes a key.
func NewKey() (*Key, error) {
	files, err := age.GenerateX25519Identity()
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	main := make([]byte, 32)
	_, _ = rand.Read(main) // it never fails
	return keyOf(main, files)
}

// keyOf derives the keys for each purpose from one secret.
func keyOf(main []byte, files *age.X25519Identity) (*Key, error) {
	var parts [3][]byte
	for i, purpose := range []string{"values", "names", "id"} {
		var err error
		if parts[i], err = hkdf.Key(sha256.New, main, nil, "ghostlight "+purpose, 32); err != nil {
			return nil, fmt.Errorf("make a key: %w", err)
		}
	}
	seals, err := chacha20poly1305.NewX(parts[0])
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	k := &Key{id: hex.EncodeToString(parts[2][:8]), main: main, seals: seals, names: parts[1], files: files}
	empty, err := k.Encrypt(nil)
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	k.fileHead = len(empty) - int(k.SizeOf(0)) // whose own is not known yet
	return k, nil
}

// Wrap puts the key behind a passphrase.
func (k *Key) Wrap(passphrase string) (g WrappedKey, err error) {
	to, err := age.NewScryptRecipient(passphrase)
	if err != nil {
		return g, fmt.Errorf("wrap a key: %w", err)
	}
	to.SetWorkFactor(keyWork)
	secret, err := json.Marshal(keySecret{k.main, k.files.String()})
	if err != nil {
		return g, fmt.Errorf("wrap a key: %w", err)
	}
	var out bytes.Buffer
	w, err := age.Encrypt(&out, to)
	if err == nil {
		_, err = w.Write(secret)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return g, fmt.Errorf("wrap a key: %w", err)
	}
	g = WrappedKey{ID: k.id, Wrapped: out.Bytes()}
	g.Sum = g.sum()
	return g, nil
}

func (g WrappedKey) sum() []byte {
	sum := sha256.Sum256(append([]byte(g.ID+"\x00"), g.Wrapped...))
	return sum[:8]
}

// whole reports whether a wrapped key is undamaged.
func (g WrappedKey) whole() bool { return g.ID != "" && bytes.Equal(g.Sum, g.sum()) }

// Unwrap returns the key for its passphrase: ErrPassphrase for another one, ErrKeyRecord for a
// wrapped key that is damaged.
func (g WrappedKey) Unwrap(passphrase string) (*Key, error) {
	if !g.whole() {
		return nil, ErrKeyRecord
	}
	id, err := age.NewScryptIdentity(passphrase)
	if err != nil {
		return nil, ErrPassphrase // it is empty
	}
	id.SetMaxWorkFactor(maxWork)
	r, err := age.Decrypt(bytes.NewReader(g.Wrapped), id)
	var other *age.NoIdentityMatchError
	if errors.As(err, &other) {
		return nil, ErrPassphrase
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKeyRecord, err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKeyRecord, err)
	}
	var secret keySecret
	if err := json.Unmarshal(data, &secret); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKeyRecord, err)
	}
	files, err := age.ParseX25519Identity(secret.Files)
	if err != nil {
		return nil, fmt.Errorf("%w: it holds no key of the files", ErrKeyRecord)
	}
	k, err := keyOf(secret.Key, files)
	if err == nil && k.id != g.ID {
		err = fmt.Errorf("%w: it holds another key than it says", ErrKeyRecord)
	}
	return k, err
}

// readWrappedKey reads a stored wrapped key.
func readWrappedKey(stored []byte) (g WrappedKey, err error) {
	if err := json.Unmarshal(stored, &g); err != nil || !g.whole() {
		return WrappedKey{}, ErrKeyRecord
	}
	return g, nil
}

// KeyOr returns an Unlock that returns k for k's own wrapped key and calls next for any other. k may be
// nil.
func KeyOr(k *Key, next Unlock) Unlock {
	return func(g WrappedKey) (*Key, error) {
		if k != nil && g.ID == k.id {
			return k, nil
		}
		if next == nil {
			return nil, ErrNoPassphrase
		}
		return next(g)
	}
}

// nameSize is the size in bytes of the hash that replaces a key that reveals text.
const nameSize = 16

// name returns the hash that is stored in place of a bucket's key that reveals text.
func (k *Key) name(path string, key []byte) []byte {
	h, err := blake2b.New(nameSize, k.names)
	if err != nil {
		panic(fmt.Sprintf("storage: %v", err)) // the size of the key is ours
	}
	_, _ = io.WriteString(h, path+"\x00") // a hash takes everything
	_, _ = h.Write(key)
	return h.Sum(nil)
}

// sealOverhead is the number of bytes that encryption adds to a value.
const sealOverhead = chacha20poly1305.NonceSizeX + chacha20poly1305.Overhead

// encrypt returns a value encrypted for one stored key of one bucket. It cannot be decrypted at any
// other place.
func (k *Key) encrypt(path string, stored, data []byte) []byte {
	out := make([]byte, chacha20poly1305.NonceSizeX, len(data)+sealOverhead)
	_, _ = rand.Read(out) // it never fails
	return k.seals.Seal(out, out, data, placeOfValue(path, stored))
}

// decrypt returns the value that encrypt was given, or an ErrCorrupt.
func (k *Key) decrypt(path string, stored, sealed []byte) ([]byte, error) {
	const n = chacha20poly1305.NonceSizeX
	if len(sealed) >= sealOverhead {
		data, err := k.seals.Open(nil, sealed[:n], sealed[n:], placeOfValue(path, stored))
		if err == nil {
			if data == nil {
				data = []byte{}
			}
			return data, nil
		}
	}
	return nil, fmt.Errorf("%w: %s in %s: %w", ErrCorrupt, shownKey(stored), clip(path, 80), errSeal)
}

func placeOfValue(path string, stored []byte) []byte {
	return append(append(make([]byte, 0, len(path)+1+len(stored)), path+"\x00"...), stored...)
}

// shownKey returns a stored key for display, shortened if it is long: a hashed key in hexadecimal.
func shownKey(key []byte) string {
	if strings.ContainsFunc(string(key), func(r rune) bool { return r < ' ' || r > '~' }) {
		return hex.EncodeToString(key[:min(len(key), 80)])
	}
	return clip(string(key), 80)
}
