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

// Errors for a folder or file that cannot be read at all. Their texts are shown to the user.
var (
	// ErrNotFolder is neither a folder nor an archive that can be read.
	ErrNotFolder = errors.New("neither a folder nor a backup")
	// ErrTooLarge is a folder or an archive beyond the limits of this package.
	ErrTooLarge = errors.New("too large")
)

// Limits of what is read. Real folders stay far below them.
const (
	maxEntries = 1_000_000
	maxDepth   = 24
	maxPath    = 1024 // bytes of a path in a folder or an archive
	// maxRatio is the largest compression ratio of a file that is larger than freeSize. Texts have
	// a ratio of about twenty.
	maxRatio = 200
	freeSize = 16 << 20
)

// Source is an open folder or archive. Nothing outside of it is read: links are not followed, and
// paths in an archive are only names.
type Source struct {
	Entries []Entry
	Skipped []Skipped // entries that cannot be read
	Archive bool
	open    func(name string) (io.ReadCloser, error)
	close   func() error
}

// Open opens a folder, a zip, or a single file as a folder with one entry.
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

// Close closes the folder or archive.
func (s *Source) Close() error { return s.close() }

// Read opens an entry.
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
			s.skip(name, "it cannot be read: "+errorText(err))
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
		case d.IsDir():
			base := strings.ToLower(d.Name())
			if base == "node_modules" || base == ".git" {
				return fs.SkipDir
			}
			if strings.Count(name, "/") >= maxDepth {
				s.skip(name+"/", fmt.Sprintf("it is nested deeper than %d folders", maxDepth))
				return fs.SkipDir
			}
		case d.Type()&fs.ModeSymlink != 0:
			s.skip(name, "it is a link, and links are not followed: import its target")
		case !d.Type().IsRegular():
			s.skip(name, "it is not a regular file")
		case len(name) > maxPath:
			s.skip(name[:80]+"…", "its path is too long")
		default:
			info, err := d.Info()
			if err != nil {
				s.skip(name, "it cannot be read: "+errorText(err))
				return nil
			}
			if len(s.Entries) == maxEntries {
				return fmt.Errorf("%w: there are more than %d files: import the folder of one user",
					ErrTooLarge, maxEntries)
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

// openIn opens a regular file. It does not block when the file has been replaced by a pipe since
// it was listed.
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
	case strings.HasPrefix(text, "\x1f\x8b"), strings.HasPrefix(text, "Rar!"), strings.HasPrefix(text, "7z"),
		strings.HasPrefix(text, "\xfd7z"), strings.HasPrefix(text, "BZh"):
		return nil, fmt.Errorf("%w: %s is an unsupported archive: unpack it and import the folder", ErrNotFolder, base)
	}
	root, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return nil, err
	}
	return &Source{Entries: []Entry{{base, size}}, close: root.Close,
		open: func(name string) (io.ReadCloser, error) { return openIn(root, name) }}, nil
}

// isCard reports whether a zip is a CHARX card and not the backup of a folder.
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
		return nil, fmt.Errorf(
			"%w: %s cannot be read as a zip (%s): download it again, or unpack it and import the folder",
			ErrNotFolder, filepath.Base(name), errorText(err))
	}
	s, err := readZip(&r.Reader, size)
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	s.close = r.Close
	return s, nil
}

// readZip lists an archive. It refuses overlapping files, which let a small archive claim to hold a
// large one.
func readZip(r *zip.Reader, size int64) (*Source, error) {
	if len(r.File) > maxEntries {
		return nil, fmt.Errorf("%w: the archive has more than %d files: unpack it and import the folder of one user",
			ErrTooLarge, maxEntries)
	}
	var packed uint64
	files := map[string]*zip.File{}
	s := &Source{Archive: true, close: func() error { return nil }}
	for _, f := range r.File {
		if packed += f.CompressedSize64; packed > uint64(size) {
			return nil, fmt.Errorf("%w: the files in the archive overlap, so it is not a backup", ErrTooLarge)
		}
		name := strings.ToValidUTF8(strings.ReplaceAll(f.Name, `\`, "/"), "\uFFFD")
		switch why := refusalReason(f, name); {
		case strings.HasSuffix(name, "/") && f.UncompressedSize64 == 0:
		case why != "":
			s.skip(truncatePath(name), why)
		case files[name] != nil:
			s.skip(name, "the archive has an earlier file of this name")
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
		return limitedReader{io.LimitReader(in, int64(f.UncompressedSize64)+1), in}, nil
	}
	return s, nil
}

// limitedReader reads at most the size that the archive declares.
type limitedReader struct {
	io.Reader
	io.Closer
}

// refusalReason returns why a file of an archive is not read, "" if it is.
func refusalReason(f *zip.File, name string) string {
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

func (s *Source) skip(name, why string) {
	s.Skipped = append(s.Skipped, Skipped{Path: name, Files: 1, Reason: why})
}

func truncatePath(name string) string {
	if len(name) > 200 {
		return text.Truncate(name, 200) + "…"
	}
	return name
}

// errorText returns the text of an error without the path, which the caller prints.
func errorText(err error) string {
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

// Base returns the last part of a path without its ending.
func Base(place string) string {
	base := path.Base(place)
	return strings.TrimSuffix(base, path.Ext(base))
}
