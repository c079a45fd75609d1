package formats

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// Asset is a file that came with a card. Path identifies it among the files of the card: in a
// CHARX archive it is the name of the entry, in a PNG what follows the prefix of the chunk's
// keyword. It is never a path of this machine and never contains "..".
type Asset struct {
	Path string
	Data []byte
}

// AssetPlace is the place of an asset's content.
type AssetPlace string

const (
	AssetKept    AssetPlace = "kept"    // a file that came with the card
	AssetInline  AssetPlace = "inline"  // in the card's document, as a data URL
	AssetPicture AssetPlace = "picture" // the character's own picture
	AssetDefault AssetPlace = "default" // chosen by the program that shows it
	AssetAddress AssetPlace = "address" // elsewhere; it is never fetched
	AssetMissing AssetPlace = "missing" // named by the card but not in its file
)

// CardAsset is a picture, a sound or another file of a card. For a file that the card does not
// name only Path is set. URI is as in the card, shortened for a data URL. Path is that of the
// Asset, if there is one.
type CardAsset struct {
	Type   string     `json:"type"` // icon, emotion, background ...
	Name   string     `json:"name"`
	Ext    string     `json:"ext"`
	URI    string     `json:"uri"`
	Path   string     `json:"path"`
	Place  AssetPlace `json:"place"`
	inline string
}

// Inline returns the content of an asset that is in the card's document.
func (a CardAsset) Inline() ([]byte, error) {
	_, body, ok := strings.Cut(a.inline, ";base64,")
	if !ok {
		return nil, wrapf(ErrDamaged, "the data URL of the asset %s is not base64", quoteShort(a.Name))
	}
	return decodeBase64([]byte(body))
}

const (
	maxAssetPath = 1_000 // bytes
	// The keywords of PNG chunks with assets, and the URI scheme that cards use for them. Some
	// programs leave out the colon.
	assetChunk   = "chara-ext-asset_:"
	assetChunkV1 = "chara-ext-asset_"
	assetScheme  = "__asset:"
	defaultAsset = "ccdefault:"
)

// CardAssets returns the assets of a card document in its order, followed by the files that it
// does not name. paths are those of the stored files. A card without a list has its picture as
// icon, as the specification says; pictured reports whether there is one.
//
// Types, URIs and places are those of the Character Card V3 specification; the lists in
// extensions.risuai are those of older RisuAI versions.
func CardAssets(source json.RawMessage, paths []string, pictured bool) []CardAsset {
	var list []CardAsset
	kept, named, listed := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, path := range paths {
		kept[path] = true
	}
	add := func(typ, name, ext, uri string) {
		a := CardAsset{Type: typ, Name: name, Ext: ext, URI: uri}
		a.setPlace(kept, pictured)
		named[a.Path], listed[uri] = true, true
		list = append(list, a)
	}
	var doc document
	if source, err := compact(source); err == nil {
		var n warningList
		doc, _ = openDocument(source, &n)
	}
	for _, a := range doc.assets() {
		add(a.typ, a.name, a.ext, a.uri)
	}
	if len(list) == 0 && pictured {
		add("icon", "main", "png", defaultAsset)
	}
	for _, a := range doc.risuAssets() {
		if !listed[a.uri] {
			add(a.typ, a.name, a.ext, a.uri)
		}
	}
	for _, path := range slices.Sorted(slices.Values(paths)) {
		if !named[path] {
			list = append(list, CardAsset{Path: path, Ext: extOf(path), Place: AssetKept})
		}
	}
	return list
}

// setPlace sets where an asset is.
func (a *CardAsset) setPlace(kept map[string]bool, pictured bool) {
	path, inside := assetPath(a.URI)
	switch {
	case inside:
		a.Place = AssetMissing
		for _, try := range []string{path, unescapePath(path)} {
			if kept[try] {
				a.Place, a.Path = AssetKept, try
				return
			}
		}
	case strings.HasPrefix(a.URI, "data:"):
		a.Place, a.inline = AssetInline, a.URI
		a.URI, _, _ = strings.Cut(a.URI, ",")
	case a.URI == defaultAsset || a.URI == defaultAsset+"//":
		a.Place = AssetDefault
		if a.Type == "icon" && pictured {
			a.Place = AssetPicture
		}
	default:
		a.Place = AssetAddress
	}
}

func unescapePath(path string) string {
	if out, err := url.PathUnescape(path); err == nil {
		return out
	}
	return path
}

// assetPath returns the path of a file beside the card that a URI refers to.
func assetPath(uri string) (string, bool) {
	path, ok := archivePath(uri)
	if !ok {
		path, ok = strings.CutPrefix(uri, assetScheme)
	}
	return strings.TrimPrefix(path, "/"), ok
}

func extOf(path string) string {
	if at := strings.LastIndexByte(path, '.'); at > strings.LastIndexByte(path, '/') {
		return strings.ToLower(path[at+1:])
	}
	return ""
}

// risuAssets returns the pictures that RisuAI lists in its extension: emotions as pairs of a name
// and a URI, others followed by their extension.
func (d *document) risuAssets() (list []asset) {
	ext, _ := parseObject(d.fieldsObject().get("extensions"))
	risu, _ := parseObject(ext.get("risuai"))
	for _, of := range []struct{ key, typ string }{{"emotions", "emotion"}, {"additionalAssets", "x-risu-asset"}} {
		raws, _ := elements(risu.get(of.key), maxAssets)
		for _, raw := range raws {
			parts, _ := elements(raw, 8)
			if len(parts) < 2 {
				continue
			}
			name, _ := looseString(parts[0])
			uri, _ := looseString(parts[1])
			a := asset{typ: of.typ, name: name, uri: uri}
			if len(parts) > 2 {
				a.ext, _ = looseString(parts[2])
			}
			list = append(list, a)
		}
	}
	return list
}

// isAssetPath reports whether an outside name may be the path of an asset.
func isAssetPath(path string) bool {
	return len(path) <= maxAssetPath && utf8.ValidString(path) && fs.ValidPath(path) && path != "." &&
		!strings.ContainsFunc(path, func(r rune) bool { return r < ' ' })
}

// archiveAssets returns the files of an archive beside its document.
func archiveAssets(files map[string]*zip.File, n *warningList) (list []Asset) {
	total := 0
	for _, path := range slices.Sorted(maps.Keys(files)) {
		f := files[path]
		if path == charxDocument || f.FileInfo().IsDir() {
			continue
		}
		if !isAssetPath(path) {
			n.add("the entry %s of the archive was left out: its name is not a path inside the archive",
				quoteShort(path))
			continue
		}
		data, err := unpack(f, min(MaxCardFile, maxUnpacked-total))
		if err != nil {
			n.add("the entry %s of the archive was left out: %v", quoteShort(path), err)
			continue
		}
		total += len(data)
		list = append(list, Asset{path, data})
	}
	return list
}

// chunkAssets takes the assets out of the chunks of a PNG. An incomplete asset stays among the
// chunks and is written again with the picture.
func chunkAssets(chunks []chunk) (rest []chunk, list []Asset) {
	met := map[string]bool{}
	for _, c := range chunks {
		path, ok := c.assetPath()
		if ok && !met[path] && len(list) < maxEntries {
			_, body, _ := strings.Cut(string(c.data), "\x00")
			if data, err := decodeBase64([]byte(body)); err == nil {
				met[path] = true
				list = append(list, Asset{path, data})
				continue
			}
		}
		rest = append(rest, c)
	}
	return rest, list
}

func (c chunk) assetPath() (string, bool) {
	if c.typ != "tEXt" {
		return "", false
	}
	keyword, _, ok := strings.Cut(string(c.data[:min(len(c.data), maxAssetPath)]), "\x00")
	path, is := strings.CutPrefix(keyword, assetChunk)
	if !is {
		path, is = strings.CutPrefix(keyword, assetChunkV1)
	}
	path = strings.TrimPrefix(path, "/")
	return path, ok && is && isAssetPath(path) && path != charxDocument
}

// warnMissing adds a warning for assets that the card names and the file lacks.
func (in *ImportedCard) warnMissing() {
	if !bytes.Contains(in.Source, []byte(`"assets"`)) && !bytes.Contains(in.Source, []byte(`"risuai"`)) {
		return
	}
	var paths []string
	for _, a := range in.Assets {
		paths = append(paths, a.Path)
	}
	gone, away := 0, 0
	for _, a := range CardAssets(in.Source, paths, in.Avatar != nil) {
		switch a.Place {
		case AssetMissing:
			gone++
		case AssetAddress:
			away++
		}
	}
	n := warningList{list: in.Warnings}
	if gone > 0 {
		n.add("%d of the card's assets %s not in the file; what the card says of them was kept", gone, isAre(gone))
	}
	if away > 0 {
		n.add("%d of the card's assets %s elsewhere; addresses were kept, and nothing was fetched", away, isAre(away))
	}
	in.Warnings = n.lines()
}

// SafePicture converts an untrusted picture to a PNG that other packages may decode. Errors wrap
// ErrTooLarge or ErrDamaged.
func SafePicture(data []byte) ([]byte, error) { return toPNG(data) }

// PictureEnding returns the extension of a picture by its first bytes, ".bin" for an unknown
// format.
func PictureEnding(data []byte) string {
	if ending, ok := map[string]string{"PNG": ".png", "JPEG": ".jpg", "WebP": ".webp", "GIF": ".gif"}[sniff(data)]; ok {
		return ending
	}
	return ".bin"
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
