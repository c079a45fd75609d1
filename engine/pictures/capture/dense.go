package capture

import (
	"strings"
	"unicode"
)

// denseWords are what sentences are made of that ask for a picture, in languages that set
// few blanks or none: what is wanted, how it is asked for, what asks for a picture without
// naming one, and what shows that nothing is asked.
var denseWords = []struct {
	nouns, asks, alone, denials []string
}{
	{ // Japanese
		nouns:   strings.Fields("写真 画像 絵 イラスト 自撮り 動画 ビデオ スケッチ 肖像"),
		asks:    strings.Fields("見せて 見せてください 送って 送ってくれ 撮って 描いて 作って ください 下さい ちょうだい 頂戴 くれない くれる？ 欲しい ほしい 見たい お願い 見せろ"),
		alone:   strings.Fields("描いて見せて 描いてください 撮って見せて"),
		denials: strings.Fields("ないで いらない 見せなかった 見せてくれた 送ってくれた 撮ってくれた 描いてくれた"),
	},
	{ // Chinese
		nouns:   strings.Fields("照片 相片 图片 圖片 自拍 张图 張圖 插画 插畫 画像 畫像 视频 視頻 影片 短片 素描 一张画 一張畫"),
		asks:    strings.Fields("给我 給我 发 發 传 傳 让我看 讓我看 想看 看看 看一下 来一张 來一張 来张 來張 拍 画一 畫一 画个 画张 生成 请 請 能不能 可以"),
		alone:   strings.Fields("画一张 畫一張 画一幅 畫一幅 给我画 給我畫 画给我 畫給我"),
		denials: strings.Fields("不要 别 別给 不用 不想 给我看了 給我看了 发了 發了 拍了"),
	},
	{ // Korean
		nouns:   strings.Fields("사진 그림 영상 동영상 셀카 이미지"),
		asks:    strings.Fields("보여 보내 그려 찍어 만들어 주세요 보고싶 싶어"),
		alone:   strings.Fields("그려줘 그려 찍어줘"),
		denials: strings.Fields("지마 마세요 않아 줬어 했다"),
	},
}

// denseAsks are the sentences of a text that may ask for a picture, in those languages.
// What stands between asterisks is narration.
func denseAsks(text string) (out []string) {
	if strings.IndexFunc(text, func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
	}) < 0 {
		return nil
	}
	var told strings.Builder
	for i, part := range strings.Split(text, "*") {
		if i%2 == 0 {
			told.WriteString(part)
		}
		told.WriteByte('\n')
	}
	for s := range strings.FieldsFuncSeq(told.String(), func(r rune) bool { return strings.ContainsRune("。！!？?\n.", r) }) {
		bare := strings.ReplaceAll(s, " ", "")
		for _, l := range denseWords {
			holds := func(list []string) bool {
				for _, w := range list {
					if strings.Contains(bare, w) {
						return true
					}
				}
				return false
			}
			if (holds(l.nouns) && holds(l.asks) || holds(l.alone)) && !holds(l.denials) {
				out = append(out, strings.TrimSpace(s))
				break
			}
		}
	}
	return out
}
