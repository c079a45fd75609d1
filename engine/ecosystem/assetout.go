package ecosystem

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The formats that a card is written in.
const (
	CardV3JSON = "json"
	CardV2JSON = "v2"
	CardPNG    = "png"
	CardCharx  = "charx"
)

// WriteCard writes a character in one of the formats above, with its picture and the
// files that came with it. remarks say what the format has no room for.
func WriteCard(format string, c storage.Character, avatar []byte, assets []Asset) (data []byte, remarks []string, err error) {
	switch format {
	case CardV3JSON, CardV2JSON:
		data, remarks, err = writeCardText(format, c, avatar, assets)
	case CardPNG:
		data, err = writePNG(c, avatar, assets)
	case CardCharx:
		data, err = writeCharx(c, avatar, assets)
	default:
		err = fmt.Errorf("there is no format %s of cards", brief(format))
	}
	if err != nil {
		return nil, nil, fmt.Errorf("write card %s: %w", brief(c.Card.Name), err)
	}
	return data, remarks, nil
}

// packing is how the assets of a card are written: addresses that change, by what they
// are in the document that is kept, and what is said of the main icon.
type packing struct {
	assets  []Asset
	moved   map[string]string // by the path of an asset
	icon    string            // the address of the picture, "" to leave it as it is
	instead bool              // of the icon that the document has; else it stands before that
}

// newPacking decides what becomes of the picture: the icon of a document that shows
// another picture, or none, is out of date. at is where the format keeps it.
func newPacking(c storage.Character, avatar []byte, assets []Asset, at string) packing {
	p := packing{assets: assets, moved: map[string]string{}}
	if len(avatar) == 0 {
		return p
	}
	icon, ok := mainIcon(c.Source, assets)
	var was []byte
	switch {
	case !ok, icon.Place == AssetMissing, icon.Place == AssetAddress:
		if at != defaultAsset { // a PNG is its own picture
			p.icon = at
		}
		return p
	case icon.Place == AssetInline:
		was, _ = icon.Inline()
	case icon.Place == AssetKept:
		for _, a := range assets {
			if a.Path == icon.Path {
				was = a.Data
			}
		}
	}
	if shown, err := toPNG(was); err != nil || !bytes.Equal(shown, avatar) {
		p.icon, p.instead = at, true
	}
	return p
}

// mainIcon is the icon of a document that can be shown.
func mainIcon(source json.RawMessage, assets []Asset) (CardAsset, bool) {
	var paths []string
	for _, a := range assets {
		paths = append(paths, a.Path)
	}
	var found CardAsset
	for _, a := range CardAssets(source, paths, false) {
		if a.Type == "icon" && (found.Type == "" || a.Name == "main" && found.Name != "main") {
			found = a
		}
	}
	return found, found.Type != ""
}

// place writes the addresses of a packing into a document.
func (p packing) place(d *document) {
	if d == nil || len(p.moved) == 0 && p.icon == "" {
		return
	}
	raws, ok := elements(d.data.get("assets"), maxAssets)
	if raw := d.data.get("assets"); !ok && len(raw) > 0 && raw[0] == '[' {
		return
	}
	at, found := -1, asset{}
	for i, raw := range raws {
		o, ok := parseObject(raw)
		if !ok {
			continue
		}
		uri, _ := loose(o.get("uri"))
		typ, _ := loose(o.get("type"))
		name, _ := loose(o.get("name"))
		if typ == "icon" && (at < 0 || name == "main" && found.name != "main") {
			at, found = i, asset{typ: typ, uri: uri, name: name}
		}
		if to, ok := p.target(uri); ok {
			o.set("uri", quoted(to))
			raws[i] = o.encode()
		}
	}
	if p.icon != "" {
		raws = p.placeIcon(raws, at)
	}
	if len(raws) > 0 {
		d.data.set("assets", encodeList(raws))
	}
}

// target is where an address of the kept document leads in what is written.
func (p packing) target(uri string) (string, bool) {
	path, ok := assetPath(uri)
	if !ok {
		return "", false
	}
	to, ok := p.moved[path]
	if !ok {
		to, ok = p.moved[unescaped(path)]
	}
	return to, ok && to != uri
}

// placeIcon puts the picture in place of an icon that the file itself had, and before one
// that is elsewhere.
func (p packing) placeIcon(raws []json.RawMessage, at int) []json.RawMessage {
	if at >= 0 && p.instead {
		o, _ := parseObject(raws[at])
		o.set("uri", quoted(p.icon))
		o.set("ext", quoted("png"))
		raws[at] = o.encode()
		return raws
	}
	var o object
	for _, f := range [][2]string{{"type", "icon"}, {"uri", p.icon}, {"name", "main"}, {"ext", "png"}} {
		o.set(f[0], quoted(f[1]))
	}
	return append([]json.RawMessage{o.encode()}, raws...)
}

// writeCardText writes a card as JSON. Files that came with it go into it as data URLs,
// as far as there is room.
func writeCardText(format string, c storage.Character, avatar []byte, assets []Asset) (data []byte, remarks []string, err error) {
	spec := map[string]string{CardV3JSON: "chara_card_v3", CardV2JSON: "chara_card_v2"}[format]
	p := packing{moved: map[string]string{}}
	room := MaxCardJSON/2 - len(c.Source)
	left := 0
	for _, a := range assets {
		need := base64.StdEncoding.EncodedLen(len(a.Data))
		if room -= need; room < 0 {
			room += need
			left++
			continue
		}
		p.moved[a.Path] = dataURL(a.Data)
	}
	if icon, _ := mainIcon(c.Source, assets); icon.Place == AssetKept || icon.Place == AssetInline {
		if changed := newPacking(c, avatar, assets, "data:"); changed.icon != "" {
			p.icon, p.instead = dataURL(avatar), true
		}
	} else if len(avatar) > 0 {
		remarks = append(remarks, "a JSON card cannot contain the picture; use PNG or CHARX")
	}
	unnamed := 0
	for _, a := range CardAssets(c.Source, pathsOf(assets), false) {
		if a.Place == AssetKept && a.URI == "" && p.moved[a.Path] != "" {
			unnamed++
		}
	}
	if n := left + unnamed; n > 0 {
		remarks = append(remarks, fmt.Sprintf("left out, because a JSON card cannot contain it: %s that came with the card; use CHARX or PNG", several(n, "file", "files")))
	}
	data, err = writeJSON(c, spec, p)
	return data, remarks, err
}

func pathsOf(assets []Asset) (paths []string) {
	for _, a := range assets {
		paths = append(paths, a.Path)
	}
	return paths
}

func dataURL(data []byte) string {
	mime, ok := map[string]string{"PNG": "image/png", "JPEG": "image/jpeg", "WebP": "image/webp", "GIF": "image/gif"}[sniff(data)]
	if !ok {
		mime = "application/octet-stream"
	}
	return "data:" + mime + ";base64," + base64.StdEncoding.EncodeToString(data)
}

// iconPath is where the specification wants pictures of its kind.
const iconPath = "assets/icon/images/main.png"

func writeCharx(c storage.Character, avatar []byte, assets []Asset) ([]byte, error) {
	at := freeAsset(iconPath, assets)
	p := newPacking(c, avatar, assets, "embeded://"+at)
	if p.icon != "" {
		p.assets = append([]Asset{{at, avatar}}, assets...)
	}
	for _, a := range assets {
		p.moved[a.Path] = "embeded://" + a.Path
	}
	p.keepSpelling(c.Source)
	doc, err := writeJSON(c, "chara_card_v3", p)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for i, a := range append([]Asset{{charxDocument, doc}}, p.assets...) {
		method := zip.Store // pictures are packed already
		if i == 0 {
			method = zip.Deflate
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: a.Path, Method: method})
		if err == nil {
			_, err = w.Write(a.Data)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	if out.Len() > MaxCardFile {
		return nil, fault(ErrTooLarge, "the file would have %s; the limit is %s", size(out.Len()), size(MaxCardFile))
	}
	return out.Bytes(), nil
}

// keepSpelling leaves addresses alone that lead to their entry as they are, also with
// the other spelling of the scheme.
func (p packing) keepSpelling(source json.RawMessage) {
	for _, a := range CardAssets(source, pathsOf(p.assets), false) {
		if _, ok := embedded(a.URI); ok && a.Place == AssetKept {
			delete(p.moved, a.Path)
		}
	}
}

// freeAsset is a path that no asset has.
func freeAsset(path string, assets []Asset) string {
	taken := map[string]bool{}
	for _, a := range assets {
		taken[a.Path] = true
	}
	stem, ext := path[:len(path)-len(".png")], ".png"
	for n := 2; taken[path]; n++ {
		path = stem + "-" + strconv.Itoa(n) + ext
	}
	return path
}

// packPNG puts assets into chunks. A path that is no keyword of a PNG becomes a number.
func packPNG(c storage.Character, avatar []byte, assets []Asset) packing {
	p := newPacking(c, avatar, assets, defaultAsset)
	p.assets = nil
	next := 0
	taken := map[string]bool{}
	for _, a := range assets {
		taken[a.Path] = true
	}
	for _, a := range assets {
		path := a.Path
		if !fitKeyword(assetChunk + path) {
			for path = strconv.Itoa(next); taken[path]; path = strconv.Itoa(next) {
				next++
			}
			taken[path] = true
		}
		p.assets = append(p.assets, Asset{path, a.Data})
		p.moved[a.Path] = assetScheme + path
	}
	return p
}

// fitKeyword reports whether a text may be the keyword of a chunk.
func fitKeyword(s string) bool {
	const most = 79
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return len(s) <= most
}
