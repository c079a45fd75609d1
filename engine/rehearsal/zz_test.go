package rehearsal
import ("testing";"strings";"fmt")
func TestZZ(t *testing.T){
	text, _ := evening(t, 16)
	parts := strings.Split(text, "\n[")
	for k:=0;k+8<=len(parts);k+=8 {
		var b strings.Builder
		for i:=0;i<8;i++ { p:=parts[k+i]; _,rest,_:=strings.Cut(p,"] "); fmt.Fprintf(&b,"[%d] %s\n",i+1,rest) }
		a := perfect[sceneAnswer](t, usualScene, asked("Recap.", b.String()), 0)
		for _, l := range a.Lorebooks { fmt.Println(l.Content, l.Keywords) }
		fmt.Println()
	}
}
