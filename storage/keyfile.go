package storage

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"filippo.io/age"
)

// fileMark begins a file that is encrypted: an age file.
const fileMark = "age-encryption.org/v1\n"

// EncryptTo returns a writer for a file that belongs to the store. The data goes to w, encrypted if
// the store is. The file is complete after Close, which does not close w.
func (k *Key) EncryptTo(w io.Writer) (io.WriteCloser, error) {
	if k == nil {
		return plainWriter{w}, nil
	}
	out, err := age.Encrypt(w, k.files.Recipient())
	if err != nil {
		return nil, fmt.Errorf("encrypt a file: %w", err)
	}
	return out, nil
}

type plainWriter struct{ io.Writer }

// Close implements io.Closer.
func (plainWriter) Close() error { return nil }

// Encrypt returns data as it is stored in a file of the store: encrypted, or unchanged if k is nil.
func (k *Key) Encrypt(data []byte) ([]byte, error) {
	if k == nil {
		return data, nil
	}
	var out bytes.Buffer
	w, err := k.EncryptTo(&out)
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	return out.Bytes(), err
}

// SizeOf returns the encrypted size of a file of n bytes. If k is nil, that is n.
func (k *Key) SizeOf(n int64) int64 {
	if k == nil {
		return n
	}
	const chunk, tag, nonce = 64 << 10, 16, 16
	chunks := max(1, (n+chunk-1)/chunk)
	return int64(k.fileHead) + nonce + n + chunks*tag
}

// Decrypt returns the content of a file. It also accepts unencrypted data, because both kinds exist
// while files are being converted.
func (k *Key) Decrypt(data []byte) ([]byte, error) {
	if !IsEncrypted(data) {
		return data, nil
	}
	r, err := k.DecryptFrom(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// IsEncrypted reports whether a file that begins with head is encrypted.
func IsEncrypted(head []byte) bool { return bytes.HasPrefix(head, []byte(fileMark)) }

// DecryptFrom is Decrypt for a file that is read piece by piece.
func (k *Key) DecryptFrom(from io.Reader) (io.Reader, error) {
	r := bufio.NewReader(from)
	if head, _ := r.Peek(len(fileMark)); !IsEncrypted(head) {
		return r, nil
	}
	if k == nil {
		return nil, ErrForeignFile
	}
	out, err := age.Decrypt(r, k.files)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrForeignFile, err)
	}
	return damageReader{out}, nil
}

// ErrForeignFile is the error for a file that was encrypted with another key, or is damaged. It is
// an ErrCorrupt.
var ErrForeignFile = fmt.Errorf("%w: a file is encrypted, and not by the key of this data file", ErrCorrupt)

// damageReader calls it damage that a piece of a file does not open.
type damageReader struct{ r io.Reader }

// Read implements io.Reader.
func (d damageReader) Read(p []byte) (int, error) {
	n, err := d.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) && !isPathError(err) {
		err = fmt.Errorf("%w: %w", ErrForeignFile, err)
	}
	return n, err
}

func isPathError(err error) bool {
	var p *os.PathError
	return errors.As(err, &p)
}

// ReaderAt returns a reader of the decrypted content of an encrypted or a plain file, and the
// content's size. size is the size of f.
func (k *Key) ReaderAt(f io.ReaderAt, size int64) (r io.ReaderAt, plain int64, err error) {
	head := make([]byte, min(int64(len(fileMark)), size))
	if _, err := f.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, 0, err
	}
	if !IsEncrypted(head) {
		return f, size, nil
	}
	if k == nil {
		return nil, 0, ErrForeignFile
	}
	r, plain, err = age.DecryptReaderAt(f, size, k.files)
	if err != nil {
		return nil, 0, fmt.Errorf("%w: %w", ErrForeignFile, err)
	}
	return r, plain, nil
}

// wrappedKeyCopy returns the path of the copy of a data file's wrapped key. The copy exists because a single
// bad sector must not make the key of everything unreadable.
func wrappedKeyCopy(path string) string { return path + ".key" }

// writeWrappedKeyCopy keeps the copy, unless it is there already. One of another key is put
// aside: there may be files that nothing else opens.
func writeWrappedKeyCopy(path string, stored []byte) error {
	name := wrappedKeyCopy(path)
	if was, err := os.ReadFile(name); err == nil {
		if bytes.Equal(was, stored) {
			return nil
		}
		old, bad := readWrappedKey(was)
		if now, err := readWrappedKey(stored); bad == nil && err == nil && old.ID != now.ID {
			if err := os.Rename(name, name+"-"+old.ID); err != nil {
				return ioError("keep a copy of the key record", err)
			}
		}
	}
	return ioError("keep a copy of the key record", writeWhole(name, func(f *os.File) error {
		_, err := f.Write(stored)
		return err
	}))
}

// readWrappedKeyCopy returns the wrapped key from the copy beside a data file, with its stored bytes.
func readWrappedKeyCopy(path string) (WrappedKey, []byte, error) {
	stored, err := os.ReadFile(wrappedKeyCopy(path))
	if err != nil {
		return WrappedKey{}, nil, err
	}
	g, err := readWrappedKey(stored)
	return g, stored, err
}

// WrappedKeyOf reports whether a data file is encrypted. It needs no passphrase, and reads damaged
// files. The wrapped key is empty if it can no longer be read.
func WrappedKeyOf(path string) (g WrappedKey, encrypted bool, err error) {
	meta, err := metaOf(path)
	if err != nil {
		return g, false, err
	}
	_, encrypted, _ = readVersion(meta[keySchema])
	if stored := meta[keyWrapped]; stored != nil {
		encrypted = true
		g, _ = readWrappedKey(stored) // it is empty then
	}
	return g, encrypted, nil
}

// FilesLeftOf returns the remaining work on the files that belong to a data file. Like WrappedKeyOf, it
// needs no passphrase and reads damaged files.
func FilesLeftOf(path string) (FilesLeft, error) {
	meta, err := metaOf(path)
	return FilesLeft(meta[keyFiles]), err
}

// metaOf returns the values of the bucket meta of a data file, as far as they can be read.
func metaOf(path string) (map[string][]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // was only read
	p, err := openPages(f)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	found := map[string][]byte{}
	w := pageWalk{pages: p, fault: func(keyRange, error) {}, visit: func(at keyRange, e element) bool {
		if at.path == bucketMeta {
			found[string(e.key)] = bytes.Clone(e.value)
		}
		return at.path == "" && string(e.key) == bucketMeta
	}}
	w.descend(p.root, keyRange{})
	return found, nil
}
