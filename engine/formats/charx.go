package formats

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	charxDocument = "card.json"
	maxEntries    = 10_000
	maxUnpacked   = 256 << 20 // the declared size of an archive's contents
	maxRatio      = 200       // of an archive that declares more than ratioFloor
	ratioFloor    = 32 << 20
)

// readCharx reads a card archive with its assets. Names in it are compared and never used as
// paths.
func readCharx(data []byte) (ImportedCard, error) {
	files, err := openArchive(data)
	if err != nil {
		return ImportedCard{}, err
	}
	entry := files[charxDocument]
	if entry == nil && files[byafManifest] != nil {
		return readBYAF(files)
	}
	if entry == nil {
		return ImportedCard{}, wrapf(ErrNotCard,
			"the archive has no %s, so it is not a CHARX card: choose another file", charxDocument)
	}
	text, err := unpack(entry, MaxCardJSON)
	if err != nil {
		return ImportedCard{}, fmt.Errorf("%s: %w", charxDocument, err)
	}
	in, err := readDocument(text)
	if err != nil {
		return ImportedCard{}, fmt.Errorf("%s: %w", charxDocument, err)
	}
	in.Format += " CHARX"
	var n warningList
	doc, err := openDocument(in.Source, &n)
	if err != nil {
		return ImportedCard{}, err
	}
	n = warningList{list: in.Warnings}
	in.Assets = archiveAssets(files, &n)
	if a, ok := icon(doc.assets()); ok {
		if path, ok := archivePath(a.uri); ok {
			if in.Avatar, err = readIcon(files, path); err != nil {
				n.add("the card was read without its picture: %v", err)
			}
		}
	}
	in.Warnings = n.lines()
	return in, nil
}

// openArchive checks the declared sizes of an archive before anything is unpacked. The first of
// several entries with the same name is used.
func openArchive(data []byte) (map[string]*zip.File, error) {
	// The entries are counted in the raw bytes first, because the reader below allocates memory
	// for each of them.
	if bytes.Count(data, []byte("PK\x01\x02")) > maxEntries {
		return nil, wrapf(ErrTooLarge, "the archive has more than %d entries, which no card has", maxEntries)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, wrapf(ErrDamaged, "the archive cannot be opened (%v): download or export the file again", err)
	}
	files := make(map[string]*zip.File, len(z.File))
	var total uint64
	for _, f := range z.File {
		if total += min(f.UncompressedSize64, maxUnpacked+1); total > maxUnpacked {
			return nil, wrapf(ErrTooLarge, "the archive unpacks to more than %s", formatSize(maxUnpacked))
		}
		name := strings.TrimPrefix(strings.ReplaceAll(f.Name, `\`, "/"), "./")
		if files[name] == nil {
			files[name] = f
		}
	}
	if total > ratioFloor && total/uint64(len(data)) > maxRatio {
		return nil, wrapf(ErrTooLarge, "the archive unpacks to %d times its size, which no card does",
			total/uint64(len(data)))
	}
	return files, nil
}

// unpack reads an entry, at most limit bytes whatever its header says.
func unpack(f *zip.File, limit int) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, wrapf(ErrDamaged, "it cannot be unpacked (%v)", err)
	}
	defer func() { _ = r.Close() }()
	out, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	switch {
	case len(out) > limit:
		return nil, wrapf(ErrTooLarge, "it unpacks to more than %s", formatSize(limit))
	case err != nil:
		return nil, wrapf(ErrDamaged, "it cannot be unpacked (%v): download or export the file again", err)
	}
	return out, nil
}

// archivePath returns the path of a URI inside the archive. The specification spells the scheme
// with one d; some programs do not.
func archivePath(uri string) (string, bool) {
	for _, scheme := range []string{"embeded://", "embedded://"} {
		if len(uri) >= len(scheme) && strings.EqualFold(uri[:len(scheme)], scheme) {
			return uri[len(scheme):], true
		}
	}
	return "", false
}

func readIcon(files map[string]*zip.File, path string) ([]byte, error) {
	f := files[strings.TrimPrefix(path, "/")]
	if f == nil {
		return nil, wrapf(ErrDamaged, "the archive has no entry %s", quoteShort(path))
	}
	data, err := unpack(f, MaxCardFile)
	if err != nil {
		return nil, err
	}
	return toPNG(data)
}
