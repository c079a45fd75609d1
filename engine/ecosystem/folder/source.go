package folder

import (
	"archive/zip"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

// Errors of what cannot be taken as a whole. The words around them are fit for the user.
var (
	// ErrNotFolder is neither a folder nor an archive that can be read.
	ErrNotFolder = errors.New("neither a folder nor a backup")
	// ErrTooLarge is a folder or an archive beyond the limits of this package.
	ErrTooLarge = errors.New("too large")
)

// The limits of what is read. Real folders stay far below them.
const (
	maxEntries = 1_000_000
	maxDepth   = 24
	maxPath    = 1024 // bytes of a path in a folder or an archive
	// maxRatio is how many times its size in the archive a file may have that is larger
	// than freeSize: texts come to some twenty.
	maxRatio = 200
	freeSize = 16 << 20
)

// Source is a folder or an archive that is open for reading. Nothing outside of it is
// read, whatever it holds: links are not followed, and paths of an archive are names.
type Source struct {
	Entries []Entry
	Left    []Left // what cannot be read, and why
	Archive bool
	open    func(name string) (io.ReadCloser, error)
	close   func() error
}

// Open opens a folder, a zip, or a single file as if it lay alone in one.
func Open(name string) (*Source, error) {
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", filepath.Base(name), err)
	}
	info, err := os.Stat(real)
	switch {
	case err != nil:
		return nil, fmt.Errorf("open %s: %w", filepath.Base(name), err)
	case info.IsDir():
		return openDir(real)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%w: %s is not a regular file", ErrNotFolder, filepath.Base(name))
	}
	return openFile(real, info.Size())
}

// Close lets go of it.
func (s *Source) Close() error { return s.close() }

// Read opens one of the entries.
func (s *Source) Read(e Entry) (io.ReadCloser, error) { return s.open(e.Path) }

func openDir(name string) (*Source, error) {
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	s := &Source{close: root.Close, open: func(name string) (io.ReadCloser, error) { return openIn(root, name) }}
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && name == ".":
			return err
		case err != nil:
			s.leave(name, "it cannot be read: "+plain(err))
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
		case d.IsDir():
			base := strings.ToLower(d.Name())
			if base == "node_modules" || base == ".git" {
				return fs.SkipDir
			}
			if strings.Count(name, "/") >= maxDepth {
				s.leave(name+"/", fmt.Sprintf("it is nested deeper than %d folders", maxDepth))
				return fs.SkipDir
			}
		case d.Type()&fs.ModeSymlink != 0:
			s.leave(name, "it is a link, and links are not followed: import its target")
		case !d.Type().IsRegular():
			s.leave(name, "it is not a regular file")
		case len(name) > maxPath:
			s.leave(name[:80]+"…", "its path is too long")
		default:
			info, err := d.Info()
			if err != nil {
				s.leave(name, "it cannot be read: "+plain(err))
				return nil
			}
			if len(s.Entries) == maxEntries {
				return fmt.Errorf("%w: there are more than %d files: import the folder of one user", ErrTooLarge, maxEntries)
			}
			s.Entries = append(s.Entries, Entry{name, info.Size()})
		}
		return nil
	})
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return s, nil
}

// openIn opens an ordinary file. What stands there now may be something else than what
// was listed: a pipe is not waited for.
func openIn(root *os.Root, name string) (io.ReadCloser, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(errors.New("it is not a regular file"), f.Close())
	}
	return f, nil
}

func openFile(name string, size int64) (*Source, error) {
	head := make([]byte, 4)
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	n, _ := io.ReadFull(f, head)
	_ = f.Close()
	base := filepath.Base(name)
	switch text := string(head[:n]); {
	case strings.HasPrefix(text, "PK") && !isCard(name):
		return openZip(name, size)
	case strings.HasPrefix(text, "\x1f\x8b"), strings.HasPrefix(text, "Rar!"), strings.HasPrefix(text, "7z"), strings.HasPrefix(text, "\xfd7z"), strings.HasPrefix(text, "BZh"):
		return nil, fmt.Errorf("%w: %s is an unsupported archive: unpack it and import the folder", ErrNotFolder, base)
	}
	root, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return nil, err
	}
	return &Source{Entries: []Entry{{base, size}}, close: root.Close,
		open: func(name string) (io.ReadCloser, error) { return openIn(root, name) }}, nil
}

// isCard tells a CHARX card from the backup of a folder.
func isCard(name string) bool {
	r, err := zip.OpenReader(name)
	if err != nil {
		return false
	}
	defer func() { _ = r.Close() }()
	for _, f := range r.File {
		if f.Name == "card.json" {
			return true
		}
	}
	return false
}

func openZip(name string, size int64) (*Source, error) {
	r, err := zip.OpenReader(name)
	if err != nil {
		return nil, fmt.Errorf("%w: %s cannot be read as a zip (%s): download it again, or unpack it and import the folder", ErrNotFolder, filepath.Base(name), plain(err))
	}
	s, err := readZip(&r.Reader, size)
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	s.close = r.Close
	return s, nil
}

// readZip lists an archive. Files that lie over each other are how a small archive claims
// to hold a large one.
func readZip(r *zip.Reader, size int64) (*Source, error) {
	if len(r.File) > maxEntries {
		return nil, fmt.Errorf("%w: the archive has more than %d files: unpack it and import the folder of one user", ErrTooLarge, maxEntries)
	}
	var packed uint64
	files := map[string]*zip.File{}
	s := &Source{Archive: true, close: func() error { return nil }}
	for _, f := range r.File {
		if packed += f.CompressedSize64; packed > uint64(size) {
			return nil, fmt.Errorf("%w: the files in the archive overlap, so it is not a backup", ErrTooLarge)
		}
		name := strings.ToValidUTF8(strings.ReplaceAll(f.Name, `\`, "/"), "\uFFFD")
		switch why := refused(f, name); {
		case strings.HasSuffix(name, "/") && f.UncompressedSize64 == 0:
		case why != "":
			s.leave(clipped(name), why)
		case files[name] != nil:
			s.leave(name, "the archive has an earlier file of this name")
		default:
			files[name] = f
			s.Entries = append(s.Entries, Entry{name, int64(f.UncompressedSize64)})
		}
	}
	s.open = func(name string) (io.ReadCloser, error) {
		f := files[name]
		if f == nil {
			return nil, fs.ErrNotExist
		}
		in, err := f.Open()
		if err != nil {
			return nil, err
		}
		return bounded{io.LimitReader(in, int64(f.UncompressedSize64)+1), in}, nil
	}
	return s, nil
}

// bounded reads no more than the archive says that there is.
type bounded struct {
	io.Reader
	io.Closer
}

// refused says why a file of an archive is not read, "" for one that is.
func refused(f *zip.File, name string) string {
	switch {
	case len(name) > maxPath:
		return "its path is too long"
	case !fs.ValidPath(strings.TrimSuffix(name, "/")) || strings.ContainsAny(name, "\x00:"):
		return "its path is invalid or leads out of the archive"
	case strings.Count(name, "/") > maxDepth:
		return fmt.Sprintf("it is nested deeper than %d folders", maxDepth)
	case f.Mode()&fs.ModeSymlink != 0:
		return "it is a link, and links are not followed"
	case !f.Mode().IsRegular() && !f.Mode().IsDir():
		return "it is not a regular file"
	case f.Flags&1 != 0:
		return "it is encrypted: unpack the archive and import the folder"
	case f.Method != zip.Store && f.Method != zip.Deflate:
		return "it uses an unsupported compression: unpack the archive and import the folder"
	case f.UncompressedSize64 > freeSize && f.UncompressedSize64/maxRatio > f.CompressedSize64:
		return "it claims to be many times larger than it is in the archive"
	}
	return ""
}

func (s *Source) leave(name, why string) {
	s.Left = append(s.Left, Left{Path: name, Files: 1, Why: why})
}

func clipped(name string) string {
	if len(name) > 200 {
		return text.Truncate(name, 200) + "…"
	}
	return name
}

// plain is an error without the path in it, which is said before.
func plain(err error) string {
	var at *fs.PathError
	var damaged flate.CorruptInputError
	switch {
	case errors.As(err, &damaged):
		return "it is damaged"
	case errors.As(err, &at):
		return at.Err.Error()
	}
	return err.Error()
}

// Base is the last part of a place without its ending.
func Base(place string) string {
	base := path.Base(place)
	return strings.TrimSuffix(base, path.Ext(base))
}
