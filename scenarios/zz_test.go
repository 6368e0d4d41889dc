package scenarios
import ("testing";"strings";"time";"fmt";"runtime")
func TestZZ(t *testing.T){
 n:=9<<20
 rows:=map[string]string{
  "flow":strings.Repeat("[",n), "flow20k":strings.Repeat("[",20000)+strings.Repeat("]",20000),"dashes":strings.Repeat("- ",n/2),"flowmap":strings.Repeat("{a: ",n/4),
  "sum":"name: s\nclients: [{network: {one_way: {sum: ["+strings.Repeat("1ms,",n/4)+"]}}}]\n",
  "badsum":"name: s\nclients: [{network: {one_way: {sum: ["+strings.Repeat("1,",n/2)+"]}}}]\n",
  "groups":"name: s\nclients: ["+strings.Repeat("{name: x, policy: nope},",n/24)+"]\n",
  "keys":"name: s\n"+func()string{var b strings.Builder; for i:=0;i<n/12;i++{fmt.Fprintf(&b,"kk%d: 1\n",i)};return b.String()}(),
  "mergebomb":"name: s\nprovider: {<<: &a {"+func()string{var b strings.Builder; for i:=0;i<200000;i++{fmt.Fprintf(&b,"kk%d: 1,",i)};return b.String()}()+"}}\nslot: 1s\nstop: {<<: ["+strings.Repeat("*a,",500000)+"]}\n",
  "expect":"name: s\nclients: ["+func()string{var b strings.Builder; for i:=0;i<10000;i++{fmt.Fprintf(&b,"{name: g%d},",i)};return b.String()}()+"]\nexpect: ["+strings.Repeat("sucess == 1,",3000)+"]\n",
  "policies":"name: s\npolicies: {"+func()string{var b strings.Builder; for i:=0;i<100000;i++{fmt.Fprintf(&b,"p%d: {},",i)};return b.String()}()+"}\nclients: ["+func()string{var b strings.Builder; for i:=0;i<100000;i++{fmt.Fprintf(&b,"{name: g%d, policy: q%d},",i,i)};return b.String()}()+"]\n",
 }
 for k,v:=range rows{ var m0,m1 runtime.MemStats; runtime.ReadMemStats(&m0); s:=time.Now(); _,err:=Decode("x",[]byte(v)); e:=""; if err!=nil{e=err.Error()}; runtime.ReadMemStats(&m1); fmt.Printf("%s %v %dMB %.200q\n",k,time.Since(s),(m1.TotalAlloc-m0.TotalAlloc)>>20,e)}
}
