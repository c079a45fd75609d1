package formats

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// assetFiles returns what came with a card, by path.
func assetFiles(list []Asset) map[string]string {
	files := map[string]string{}
	for _, a := range list {
		files[a.Path] = string(a.Data)
	}
	return files
}

func characterOf(in ImportedCard) storage.Character {
	return storage.Character{Card: in.Card, Actor: in.Actor, Source: in.Source, HasAvatar: in.Avatar != nil}
}

func mustWriteCard(t *testing.T, format string, in ImportedCard) ([]byte, []string) {
	t.Helper()
	data, remarks, err := WriteCard(format, characterOf(in), in.Avatar, in.Assets)
	if err != nil {
		t.Fatal(err)
	}
	return data, remarks
}

const assetCard = `{"spec":"chara_card_v3","spec_version":"3.0","data":{"name":"Ilse","description":"Keeps the ferry.","odd":[1,2.50],"assets":[
 {"type":"icon","uri":"embeded://assets/icon/images/main.png","name":"main","ext":"png"},
 {"type":"emotion","uri":"embedded://assets/emotion/images/glad one.png","name":"glad","ext":"png","x":1},
 {"type":"background","uri":"embeded://assets/background/images/quay.webp","name":"quay","ext":"webp"},
 {"type":"background","uri":"https://example.org/quay.png","name":"far","ext":"png"},
 {"type":"user_icon","uri":"ccdefault:","name":"main","ext":"png"},
 {"type":"x-sound","uri":"data:audio/mpeg;base64,YWJj","name":"horn","ext":"mp3"},
 {"type":"other","uri":"embeded://gone.bin","name":"gone","ext":"bin"},
 "no object"],
 "extensions":{"risuai":{"emotions":[["sad","embeded://assets/emotion/images/sad.png"]]}},"group_only_greetings":[]}}`

func assetArchive(t *testing.T) ([]byte, map[string]string) {
	plain := plainPNG(t)
	files := map[string]string{
		"assets/icon/images/main.png": string(plain), "assets/emotion/images/glad one.png": "GLAD\x00\xff", "assets/emotion/images/sad.png": "SAD",
		"assets/background/images/quay.webp": "QUAY", "module.risum": "\x00module", "x_meta/0.json": `{"type":"PNG"}`,
	}
	list := []entry{{"card.json", []byte(assetCard)}, {"/abs", []byte("x")}, {"a/../../b", []byte("x")}, {"assets/", nil}}
	for path, data := range files {
		list = append(list, entry{path, []byte(data)})
	}
	return archive(t, list...), files
}

func TestAssets_ThroughEveryFormat(t *testing.T) {
	t.Parallel()
	data, files := assetArchive(t)
	in := mustRead(t, "ilse.charx", data)
	if diff := cmp.Diff(files, assetFiles(in.Assets)); diff != "" {
		t.Fatal(diff)
	}
	warned := strings.Join(in.Warnings, "|")
	for _, want := range []string{`"/abs"`, `"a/../../b"`, "1 of the card's assets is not in the file", "1 of the card's assets is elsewhere"} {
		if !strings.Contains(warned, want) {
			t.Errorf("%q is not said: %s", want, warned)
		}
	}
	out, remarks := mustWriteCard(t, CardCharx, in)
	again := mustRead(t, "again.charx", out)
	if diff := cmp.Diff(files, assetFiles(again.Assets)); diff != "" || len(remarks) > 0 || !bytes.Equal(in.Avatar, again.Avatar) {
		t.Errorf("CHARX: %s %q", diff, remarks)
	}
	if diff := cmp.Diff(at(t, tree(t, in.Source), "data", "assets"), at(t, tree(t, again.Source), "data", "assets")); diff != "" {
		t.Errorf("CHARX: %s", diff)
	}
	// By way of a PNG, where assets are chunks with addresses of their own.
	out, remarks = mustWriteCard(t, CardPNG, in)
	png := mustRead(t, "a.png", out)
	if diff := cmp.Diff(files, assetFiles(png.Assets)); diff != "" || len(remarks) > 0 || !bytes.Equal(png.Avatar, in.Avatar) {
		t.Errorf("PNG: %s %q", diff, remarks)
	}
	if !bytes.Contains(out, []byte("tEXtchara-ext-asset_:assets/icon/images/main.png\x00")) || !bytes.Contains(png.Source, []byte(`"__asset:assets/icon/images/main.png"`)) {
		t.Error("the PNG does not name its assets as the specification does")
	}
	out, _ = mustWriteCard(t, CardCharx, png)
	back := mustRead(t, "b.charx", out)
	if diff := cmp.Diff(files, assetFiles(back.Assets)); diff != "" {
		t.Errorf("PNG to CHARX: %s", diff)
	}
	if got, want := string(back.Source), strings.ReplaceAll(string(again.Source), "embedded://", "embeded://"); got != want {
		t.Errorf("PNG to CHARX:\n%s\n%s", got, want)
	}
	for _, format := range []string{CardV3JSON, CardV2JSON} {
		out, remarks = mustWriteCard(t, format, in)
		text := mustRead(t, "a.json", out)
		if !bytes.Equal(text.Avatar, in.Avatar) || len(remarks) != 1 || !strings.Contains(remarks[0], "2 files") {
			t.Errorf("%s: %d bytes of avatar, %q", format, len(text.Avatar), remarks)
		}
		for _, a := range CardAssets(text.Source, nil, true) {
			if a.Name == "glad" {
				if data, err := a.Inline(); err != nil || string(data) != "GLAD\x00\xff" {
					t.Errorf("%s: %q %v", format, data, err)
				}
			}
		}
	}
}

func TestCardAssets(t *testing.T) {
	t.Parallel()
	data, _ := assetArchive(t)
	in := mustRead(t, "ilse.charx", data)
	var got []string
	for _, a := range CardAssets(in.Source, pathsOf(in.Assets), true) {
		got = append(got, fmt.Sprintf("%s/%s.%s %s %s", a.Type, a.Name, a.Ext, a.Place, a.Path))
	}
	want := []string{
		"icon/main.png kept assets/icon/images/main.png", "emotion/glad.png kept assets/emotion/images/glad one.png",
		"background/quay.webp kept assets/background/images/quay.webp", "background/far.png address ", "user_icon/main.png default ",
		"x-sound/horn.mp3 inline ", "other/gone.bin missing ", "emotion/sad. kept assets/emotion/images/sad.png",
		"/.risum kept module.risum", "/.json kept x_meta/0.json",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	// A card that lists nothing has its picture.
	bare := CardAssets([]byte(`{"name":"A","description":"x"}`), nil, true)
	if len(bare) != 1 || bare[0].Place != AssetPicture || bare[0].Type != "icon" {
		t.Errorf("%+v", bare)
	}
}

// RisuAI's PNGs number their assets, with or without the colon.
func TestReadCard_AssetChunks(t *testing.T) {
	t.Parallel()
	doc := `{"spec":"chara_card_v3","spec_version":"3.0","data":{"name":"A","description":"","assets":[{"type":"icon","uri":"ccdefault:","name":"main","ext":"png"},
	 {"type":"emotion","uri":"__asset:0","name":"glad","ext":"png"},{"type":"emotion","uri":"__asset:1","name":"sad","ext":"png"}]}}`
	plain := plainPNG(t)
	chunkOf := func(keyword, body string) []byte { return makeChunk("tEXt", []byte(keyword+"\x00"+body)) }
	data := withChunks(plain, chunkOf("chara-ext-asset_:0", base64.StdEncoding.EncodeToString([]byte("zero"))),
		chunkOf("chara-ext-asset_1", base64.StdEncoding.EncodeToString([]byte("one"))), chunkOf("chara-ext-asset_:2", "not base64!"),
		chunkOf("Comment", "mine"), cardText("ccv3", doc))
	in := mustRead(t, "a.png", data)
	if diff := cmp.Diff(map[string]string{"0": "zero", "1": "one"}, assetFiles(in.Assets)); diff != "" || len(in.Warnings) > 0 {
		t.Errorf("%s %q", diff, in.Warnings)
	}
	if !bytes.Contains(in.Avatar, []byte("not base64!")) || !bytes.Contains(in.Avatar, []byte("mine")) {
		t.Error("a foreign chunk was lost")
	}
	out, _ := mustWriteCard(t, CardCharx, in)
	charx := mustRead(t, "a.charx", out)
	files := maps.Clone(assetFiles(charx.Assets))
	if files["0"] != "zero" || files["1"] != "one" || !bytes.Equal(charx.Avatar, in.Avatar) || !bytes.Equal([]byte(files["assets/icon/images/main.png"]), in.Avatar) {
		t.Errorf("%q %s", files, charx.Source)
	}
	if !strings.Contains(string(charx.Source), `"embeded://0"`) || strings.Contains(string(charx.Source), "ccdefault") {
		t.Errorf("%s", charx.Source)
	}
}

// A picture that was changed here takes the place of the icon; the file it was stays.
func TestWriteCard_ChangedPicture(t *testing.T) {
	t.Parallel()
	data, files := assetArchive(t)
	in := mustRead(t, "ilse.charx", data)
	other, err := cover("somebody else")
	if err != nil {
		t.Fatal(err)
	}
	in.Avatar = other
	for _, format := range []string{CardCharx, CardPNG, CardV3JSON} {
		out, _ := mustWriteCard(t, format, in)
		again := mustRead(t, "x", out)
		if !bytes.Equal(again.Avatar, other) {
			t.Errorf("%s: the old picture came out", format)
		}
		if got := assetFiles(again.Assets)["assets/icon/images/main.png"]; format != CardV3JSON && got != files["assets/icon/images/main.png"] {
			t.Errorf("%s: the file of the old icon is lost", format)
		}
	}
	made := ImportedCard{Card: storage.Card{Name: "New"}, Avatar: other}
	out, _ := mustWriteCard(t, CardCharx, made)
	if again := mustRead(t, "x", out); !bytes.Equal(again.Avatar, other) || len(again.Warnings) > 0 {
		t.Errorf("a card made here: %q", again.Warnings)
	}
	if _, _, err := WriteCard("webp", characterOf(made), nil, nil); err == nil {
		t.Error("an unknown format was written")
	}
}

func FuzzAssets(f *testing.F) {
	f.Add("assets/icon/main.png", []byte("x"), "embeded://assets/icon/main.png")
	f.Add("../a", []byte("x"), "__asset:../a")
	f.Add("card.json/", []byte(""), "data:,")
	f.Add("0", []byte("PK\x01\x02"), "ccdefault:")
	plain := plainPNG(f)
	f.Fuzz(func(t *testing.T, path string, data []byte, uri string) {
		doc := []byte(`{"spec":"chara_card_v3","spec_version":"3.0","data":{"name":"A","description":"","assets":[{"type":"icon","uri":` + string(quote(uri)) + `,"name":"main","ext":"png"}]}}`)
		var z bytes.Buffer
		if !packed(&z, entry{"card.json", doc}, entry{path, data}) {
			return
		}
		in, err := ReadCard("a.charx", z.Bytes())
		if err != nil {
			return
		}
		if in.Avatar == nil {
			in.Avatar = plain // a cover takes long to paint
		}
		for _, format := range []string{CardCharx, CardPNG, CardV3JSON, CardV2JSON} {
			out, _, err := WriteCard(format, characterOf(in), in.Avatar, in.Assets)
			if err != nil {
				t.Fatal(format, err)
			}
			again, err := ReadCard("b", out)
			if err != nil {
				t.Fatal(format, err)
			}
			for path, data := range assetFiles(in.Assets) {
				if out, ok := assetFiles(again.Assets)[path]; format == CardCharx && (!ok || out != data) {
					t.Fatalf("%q: %q became %q", path, data, out)
				}
			}
			if len(in.Assets) == 1 && format == CardPNG && (len(again.Assets) != 1 || !bytes.Equal(in.Assets[0].Data, again.Assets[0].Data)) {
				t.Fatalf("%q became %q", in.Assets, again.Assets)
			}
		}
	})
}

// packed writes an archive; false if its names are none.
func packed(to *bytes.Buffer, entries ...entry) bool {
	z := zip.NewWriter(to)
	for _, e := range entries {
		w, err := z.Create(e.name)
		if err != nil {
			return false
		}
		if _, err := w.Write(e.data); err != nil {
			return false
		}
	}
	return z.Close() == nil
}
