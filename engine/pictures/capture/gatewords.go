package capture

import (
	"strings"
	"sync"
	"unicode"
)

// class is what a word may be in a sentence that asks for a picture. One word can
// be several things, also in several languages.
type class uint64

const (
	isImage  class = 1 << iota // names a still picture
	isVideo                    // names a moving one
	isVerbal                   // names one, and is also a verb: to picture, to film
	isMake                     // asks for something that is made or handed over
	isDepict                   // asks for a picture without naming one: draw, paint
	isShow                     // asks to be shown something
	isShowMe                   // the same, with "me" in the word
	isTell                     // second person of such a verb, in the present
	isMe
	isYou
	isI
	isHe    // a third person
	isModal // can, would, kannst, pourrais, puedes
	isAsked // a modal that has "you" or "I" in it
	isWant  // want, need; with "I" near it
	isLike  // like, love; with "would" near it
	isWould
	isSee  // see, get, have
	isLook // as in "what you look like"
	isPlease
	isNot
	isDet  // a, another, some: not "the"
	isMore // another, more: enough to ask with
	isOf
	isWas   // a verb that makes a statement of a sentence
	isOpen  // a word that may stand before a request: and, hey, now
	isHave  // have, got, hast, tienes
	isWhat  // how, what, any, que, wie: "how about", "any chance"
	isAbout // about, chance, waere, tal
	isTo
	isOther // what "show me" and "draw" are followed by without meaning a picture
	isSaid  // past of a verb of saying
	isIdiom // big picture, get the picture
	isThe
	isIn
	isPast // was, were and the like: what would be nice was not
	isLet  // let me see
	isWill // a wish in German, in English none
	isIch
	isNoun = isImage | isVideo
)

// lexicon lists the words of each class, folded as fold does it: English, German,
// French, Spanish, Portuguese, Italian, Russian. Those that set no blanks between words
// are in dense.go.
var lexicon = []struct {
	class class
	words string
}{
	{isImage, `picture pictures pic pics photo photos photograph photographs image images selfie selfies portrait portraits drawing drawings sketch sketches
		painting paintings snapshot snapshots snap snaps illustration illustrations artwork screenshot polaroid headshot
		bild bilder bildchen foto fotos fotografie zeichnung zeichnungen skizze skizzen portraet gemaelde aufnahme schnappschuss
		dessin dessins croquis tableau cliche photographie
		imagen imagenes fotografia dibujo dibujos retrato retratos boceto cuadro ilustracion
		imagem imagens desenho desenhos pintura immagine immagini ritratto ritratti disegno disegni dipinto
		фото фотку фотка фотки фотографию фотография картинку картинка картинки рисунок портрет селфи снимок изображение`},
	{isVideo, `video videos vid vids clip clips gif gifs film films animation animations footage videoclip filmchen kurzfilm animacion grabacion
		filmato filmati видео ролик клип гифку анимацию`},
	{isVerbal, `picture pictures photograph photographs sketch sketches film films photo video image images snap snaps drawing painting`},
	{isMake, `send give make create generate render take snap shoot post share upload get produce record mind sending giving making taking sharing
		showing drawing painting sketching creating recording filming posting animate drop whip
		schick schicke schicken sende senden gib geben mach mache machen mal male erstelle erstellen generiere generieren poste posten knips knipse
		schiess schiesse schiessen nimm aufnehmen
		envoie envoyer envoyez donne donner donnez fais faire faites cree creer genere generer prends prendre partage partager passe
		manda mandame mandarme mandar envia enviame enviarme enviar dame darme dar haz hazme hacer hacerme crea crear creame genera generame generar toma tomar
		pasa pasame pasar comparte compartir sacate sacar saca regalame
		mande mandem envie faz faca tira tire gere crie mandami mandarmi mandare inviarmi farmi invia inviami inviare fai fammi scatta scattami generami creami regalami
		пришли пришлите прислать отправь отправьте отправить сделай сделайте сделать скинь скиньте дай дайте создай сними сгенерируй`},
	{isDepict, `draw sketch paint illustrate photograph film animate render
		zeichne zeichnen malen skizziere skizzieren filme filmen fotografiere fotografieren
		dessine dessiner dessinez peins peindre filmer photographier illustre illustrer
		dibuja dibujame dibujar dibujarme pinta pintame pintar pintarme filma filmame filmar graba grabame grabar grabarme ilustra fotografia
		desenha desenhe desenhar pinte disegna disegnami disegnare dipingi dipingimi dipingere ritrai
		нарисуй нарисуйте нарисовать изобрази сфотографируй сфоткай`},
	{isShow, `show zeig zeige zeigen montre montrer montrez muestra mostrar ensenar ensena
		mostra mostre mostri покажи покажите показать`},
	{isShowMe, `muestrame mostrarme ensename ensenarme muestranos ensenanos
		mostrami mostrarmi mostraci`},
	{isTell, `zeigst schickst malst zeichnest machst gibst filmst montres envoies dessines fais donnes peins muestras mandas envias ensenas dibujas haces pasas`},
	{isMe, `me us mir uns mich moi nous m nos
		mim mi ci мне нам`},
	{isYou, `you u ya du ihr sie tu vous usted ustedes vos
		voce tu ты вы`},
	{isI, `i ich je yo we wir nous j im id ill
		eu io я`},
	{isHe, `he she they er il elle ils elles ella ellos ellas it
		ele ela lui lei egli он она они`},
	{isModal, `can could would will may might shall cant couldnt wont wouldnt kannst kann koennte koenntest koennten koennen wuerdest wuerden magst willst darf duerfte
		moechtest peux pourrais pouvez pourriez puis peut veux voudrais voulez
		puoi potresti pode podes poderia poderias consegue consegues может`},
	{isAsked, `puedes podrias puede podria podes puedo quieres querrias puedan
		puoi potresti pode podes poderia poderias можешь можете могла мог`},
	{isWant, `want wanna need wish hope crave request demand moechte brauche wuensche wuenschte veux voudrais aimerais souhaite demande desire quiero quisiera
		necesito deseo gustaria encantaria hoping wishing dying
		quero queria gostaria vorrei voglio хочу хотел хотела`},
	{isLike, `like love prefer appreciate adore kill die hope enjoy haette wuerde fancy nice great lovely cool wonderful good happy glad hot schoen toll cool super sympa bien genial
		bonito bueno`},
	{isWould, `id would wed itd haette waere wuerde serait seria be`},
	{isSee, `see get have receive sehen haben bekommen kriegen voir avoir recevoir ver tener recibir verte
		vedere увидеть посмотреть видеть`},
	{isLook, `look looks wearing aussiehst aussieht ressembles ressemble luces pareces`},
	{isPlease, `please pls plz bitte plait stp svp favor porfa porfavor
		favore piacere пожалуйста`},
	{isNot, `not never no dont doesnt didnt kein keine keinen keinem keiner nicht nie pas jamais sin nunca ningun ninguna without ohne ni stop quit refuse hate
		nao nunca не нет без никогда`},
	{isDet, `a an another one some any more new your ein eine einen einem einer noch mehr une un des unos una otra otro mas encore autre dein deine deines ta tu ton su
		um uma outra outro un altra altro один одну одно`},
	{isMore, `another more noch mehr encore autre otra otro mas
		outra outro altra altro еще другую`},
	{isOf, `of von vom mit de del d du with where showing
		di della dello`},
	{isWas, `was were is are am be been has had have hung hangs hang stood stands sat lay lies fell fell looks looked made makes shows showed war waren ist sind hing haengt liegt
		etait est sont etaient era es esta estaba estan son cuelga
		era estava erano был была было висит висела висел`},
	{isOpen, `and then so but or now just also ok okay hey hi well oh yes yeah yep sure maybe perhaps come go on quick quickly und dann also ja hallo na los jetzt komm
		et puis alors oui allez bon y luego ahora vale si pues oye anda hmm um please pls plz bitte porfa
		por entao olha oi allora dai ciao per ну а и`},
	{isHave, `have got hast habt haben as avez tienes tiene gotta`},
	{isWhat, `how what any wie was que quid time got and`},
	{isAbout, `about chance waere waers dirais tal for possibility on`},
	{isTo, `to zu`},
	{isOther, `way mercy respect respects around door out in why how weg tuer wie chemin porte comment camino puerta como
		sword swords blade blades weapon weapons gun guns knife bow breath curtain curtains near nearer close closer back attention blood water bath line lines conclusions straws steel`},
	{isSaid, `said says asked asks told tells wrote demanded whispered shouted begged replied sagte fragte rief schrieb dit demanda ecrivit cria disait dijo pidio grito escribio decia
		disse perguntou chiese сказал сказала спросил спросила`},
	{isIdiom, `big bigger whole wider overall perfect grosse ganze`},
	{isThe, `the that this those these der die das den dem la le les el los las
		o os il lo gli`},
	{isIn, `in into out of from im into`},
	{isLet, `let lets lass lasst laisse dejame deja`},
	{isWill, `will`},
	{isIch, `ich`},
	{isPast, `was were war waren had hatte etait avait era estaba fue habia`},
}

// classes finds the class of a folded word.
var classes = sync.OnceValue(func() map[string]class {
	out := map[string]class{}
	for _, l := range lexicon {
		for w := range strings.FieldsSeq(l.words) {
			out[w] |= l.class
		}
	}
	return out
})

// longestWord bounds the words that are looked up, in bytes after folding.
const longestWord = 32

// fold writes a letter as the lexicon does: small, without accents, and with
// umlauts as two letters. It returns what stands for r, "" for what is no letter.
func fold(r rune) string {
	switch {
	case r >= 'a' && r <= 'z':
		return letters[r-'a' : r-'a'+1]
	case r >= 'A' && r <= 'Z':
		return letters[r-'A' : r-'A'+1]
	}
	switch r {
	case 'ё', 'Ё':
		return "е"
	case 'ã', 'Ã':
		return "a"
	case 'õ', 'Õ', 'ò', 'Ò':
		return "o"
	case 'ì', 'Ì':
		return "i"
	case 'ä', 'Ä':
		return "ae"
	case 'ö', 'Ö':
		return "oe"
	case 'ü', 'Ü':
		return "ue"
	case 'ß':
		return "ss"
	case 'é', 'è', 'ê', 'ë', 'É', 'È', 'Ê':
		return "e"
	case 'á', 'à', 'â', 'Á', 'À', 'Â':
		return "a"
	case 'í', 'î', 'ï', 'Í', 'Î':
		return "i"
	case 'ó', 'ô', 'Ó', 'Ô':
		return "o"
	case 'ú', 'û', 'ù', 'Ú', 'Û':
		return "u"
	case 'ç', 'Ç':
		return "c"
	case 'ñ', 'Ñ':
		return "n"
	case 'œ', 'Œ':
		return "oe"
	}
	if r >= 'а' && r <= 'я' || r >= 'А' && r <= 'Я' {
		return string(unicode.ToLower(r))
	}
	return ""
}

const letters = "abcdefghijklmnopqrstuvwxyz"
