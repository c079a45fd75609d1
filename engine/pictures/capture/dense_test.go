package capture

import "testing"

func TestGate_InMoreLanguages(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"Mostra-me uma foto tua.": true, "Podes mandar-me uma imagem do porto?": true, "Quero ver uma foto de você.": true, "Desenha o farol para mim, por favor.": true,
		"Mostrami una foto di te.": true, "Puoi mandarmi un'immagine del porto?": true, "Vorrei vedere una tua foto.": true, "Disegnami il faro.": true,
		"Покажи мне фото маяка.": true, "Пришли мне своё фото, пожалуйста.": true, "Можешь нарисовать мне гавань?": true, "Хочу увидеть твой портрет.": true,
		"写真を見せて。": true, "海の絵を描いてください。": true, "自撮り送ってくれない？": true, "动画": false,
		"给我看看你的照片。": true, "请画一张灯塔的画。": true, "能发一张自拍吗？": true, "사진 보여줘": true,
		"Ele olhou para o farol e não disse nada.": false, "Ela abriu a porta.": false, "Guardò il mare e tacque.": false, "Он долго смотрел на море.": false,
		"На стене висела старая картина.": false, "彼女は海を見た。": false, "她看着大海，没有说话。": false, "我不要照片。": false, "*彼女は写真を見せてくれた。*": false,
	} {
		if got := len(Gate(text)) > 0; got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
