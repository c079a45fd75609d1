package formats

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The formats of exported cards.
const (
	CardV3JSON = "json"
	CardV2JSON = "v2"
	CardPNG    = "png"
	CardCharx  = "charx"
)

// WriteCard writes a character in one of the formats above, with its picture and assets. remarks
// say what the format cannot hold.
func WriteCard(format string, c storage.Character, avatar []byte,
	assets []Asset) (data []byte, remarks []string, err error) {
	switch format {
	case CardV3JSON, CardV2JSON:
		data, remarks, err = writeCardText(format, c, avatar, assets)
	case CardPNG:
		data, err = writePNG(c, avatar, assets)
	case CardCharx:
		data, err = writeCharx(c, avatar, assets)
	default:
		err = fmt.Errorf("there is no format %s of cards", quoteShort(format))
	}
	if err != nil {
		return nil, nil, fmt.Errorf("write card %s: %w", quoteShort(c.Card.Name), err)
	}
	return data, remarks, nil
}

// assetPlan describes how the assets of a card are written: the changed URIs and the change of the
// main icon.
type assetPlan struct {
	assets      []Asset
	addresses   map[string]string // new URIs, by the path of an asset
	icon        string            // the URI of the picture, "" to leave it
	replaceIcon bool              // replace the icon of the document instead of inserting before it
}

// newAssetPlan decides where the picture goes. A document is outdated if it has no icon or if its
// icon is another picture. at is the place of the picture in the format.
func newAssetPlan(c storage.Character, avatar []byte, assets []Asset, at string) assetPlan {
	p := assetPlan{assets: assets, addresses: map[string]string{}}
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
		p.icon, p.replaceIcon = at, true
	}
	return p
}

// mainIcon returns the icon of a document that can be shown.
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

// apply writes the URIs into a document.
func (p assetPlan) apply(d *document) {
	if d == nil || len(p.addresses) == 0 && p.icon == "" {
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
		uri, _ := looseString(o.get("uri"))
		typ, _ := looseString(o.get("type"))
		name, _ := looseString(o.get("name"))
		if typ == "icon" && (at < 0 || name == "main" && found.name != "main") {
			at, found = i, asset{typ: typ, uri: uri, name: name}
		}
		if to, ok := p.newAddress(uri); ok {
			o.set("uri", quote(to))
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

// newAddress returns the URI of an asset in the written card.
func (p assetPlan) newAddress(uri string) (string, bool) {
	path, ok := assetPath(uri)
	if !ok {
		return "", false
	}
	to, ok := p.addresses[path]
	if !ok {
		to, ok = p.addresses[unescapePath(path)]
	}
	return to, ok && to != uri
}

// placeIcon replaces an icon that was in the file, and inserts the picture before one that is
// elsewhere.
func (p assetPlan) placeIcon(raws []json.RawMessage, at int) []json.RawMessage {
	if at >= 0 && p.replaceIcon {
		o, _ := parseObject(raws[at])
		o.set("uri", quote(p.icon))
		o.set("ext", quote("png"))
		raws[at] = o.encode()
		return raws
	}
	var o object
	for _, f := range [][2]string{{"type", "icon"}, {"uri", p.icon}, {"name", "main"}, {"ext", "png"}} {
		o.set(f[0], quote(f[1]))
	}
	return append([]json.RawMessage{o.encode()}, raws...)
}

// writeCardText writes a card as JSON. Assets are embedded as data URLs up to the size limit.
func writeCardText(format string, c storage.Character, avatar []byte,
	assets []Asset) (data []byte, remarks []string, err error) {
	spec := map[string]string{CardV3JSON: "chara_card_v3", CardV2JSON: "chara_card_v2"}[format]
	p := assetPlan{addresses: map[string]string{}}
	room := MaxCardJSON/2 - len(c.Source)
	left := 0
	for _, a := range assets {
		need := base64.StdEncoding.EncodedLen(len(a.Data))
		if room -= need; room < 0 {
			room += need
			left++
			continue
		}
		p.addresses[a.Path] = dataURL(a.Data)
	}
	if icon, _ := mainIcon(c.Source, assets); icon.Place == AssetKept || icon.Place == AssetInline {
		if changed := newAssetPlan(c, avatar, assets, "data:"); changed.icon != "" {
			p.icon, p.replaceIcon = dataURL(avatar), true
		}
	} else if len(avatar) > 0 {
		remarks = append(remarks, "a JSON card cannot contain the picture; use PNG or CHARX")
	}
	unnamed := 0
	for _, a := range CardAssets(c.Source, pathsOf(assets), false) {
		if a.Place == AssetKept && a.URI == "" && p.addresses[a.Path] != "" {
			unnamed++
		}
	}
	if n := left + unnamed; n > 0 {
		remarks = append(remarks,
			fmt.Sprintf("left out, because a JSON card cannot contain it: %s that came with the card; use CHARX or PNG",
				plural(n, "file", "files")))
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
	mime, ok := map[string]string{"PNG": "image/png", "JPEG": "image/jpeg", "WebP": "image/webp",
		"GIF": "image/gif"}[sniff(data)]
	if !ok {
		mime = "application/octet-stream"
	}
	return "data:" + mime + ";base64," + base64.StdEncoding.EncodeToString(data)
}

// iconPath is the path of the icon in the V3 specification.
const iconPath = "assets/icon/images/main.png"

func writeCharx(c storage.Character, avatar []byte, assets []Asset) ([]byte, error) {
	at := freeAssetPath(iconPath, assets)
	p := newAssetPlan(c, avatar, assets, "embeded://"+at)
	if p.icon != "" {
		p.assets = append([]Asset{{at, avatar}}, assets...)
	}
	for _, a := range assets {
		p.addresses[a.Path] = "embeded://" + a.Path
	}
	p.keepSpelling(c.Source)
	doc, err := writeJSON(c, "chara_card_v3", p)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for i, a := range append([]Asset{{charxDocument, doc}}, p.assets...) {
		method := zip.Store // pictures are compressed already
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
		return nil, wrapf(ErrTooLarge, "the file would have %s; the limit is %s", formatSize(out.Len()),
			formatSize(MaxCardFile))
	}
	return out.Bytes(), nil
}

// keepSpelling keeps the URIs that still lead to their entry, also those with the other spelling
// of the scheme.
func (p assetPlan) keepSpelling(source json.RawMessage) {
	for _, a := range CardAssets(source, pathsOf(p.assets), false) {
		if _, ok := archivePath(a.URI); ok && a.Place == AssetKept {
			delete(p.addresses, a.Path)
		}
	}
}

// freeAssetPath returns an unused path for an asset.
func freeAssetPath(path string, assets []Asset) string {
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

// newPNGAssetPlan writes assets into chunks. A path that cannot be a PNG keyword becomes a number.
func newPNGAssetPlan(c storage.Character, avatar []byte, assets []Asset) assetPlan {
	p := newAssetPlan(c, avatar, assets, defaultAsset)
	p.assets = nil
	next := 0
	taken := map[string]bool{}
	for _, a := range assets {
		taken[a.Path] = true
	}
	for _, a := range assets {
		path := a.Path
		if !isKeyword(assetChunk + path) {
			for path = strconv.Itoa(next); taken[path]; path = strconv.Itoa(next) {
				next++
			}
			taken[path] = true
		}
		p.assets = append(p.assets, Asset{path, a.Data})
		p.addresses[a.Path] = assetScheme + path
	}
	return p
}

// isKeyword reports whether a text can be the keyword of a chunk.
func isKeyword(s string) bool {
	const most = 79
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return len(s) <= most
}
