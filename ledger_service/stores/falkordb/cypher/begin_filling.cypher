// Mark a graph as being filled under a token, and name every edge and property: a plan made before would never see one.
// $filling: str
MERGE (m:Mirror {id: 'mirror'})
CREATE (m)-[h:HOLDS {confidence: 0, since: 0, last_reinforced: 0, seq: 0}]->(m), (m)-[w:WITNESSED]->(m), (m)-[o:ORIGIN]->(m),
       (m)-[a:AT]->(m), (m)-[l:LEFT_ASIDE]->(m), (m)-[t:TRUSTS {trust: 0, cost: 0}]->(m),
       (m)-[s:STRONGLY_TRUSTS {cost: 0}]->(m), (m)-[k:KEPT_BY]->(m),
       (m)-[f:HEARD_FROM {id: '', teller: '', listener: '', origin: '', seq: 0, tick: 0, place: '', offered: 0,
                          outcome: '', severity: 0, said: ''}]->(m)
SET m.kind = '', m.statement = '', m.holder = '', m.how = '', m.by = '', m.confidence = 0, m.severity = 0,
    m.hearsay = false, m.hops = 0, m.story = false, m.corrects = '', m.origin = '', m.filling = $filling,
    m.name = '', m.region = '', m.at_seq = 0, m.world_seq = -1, m.whole = false, m.sort = '', m.about = '',
    m.holds_when = '', m.ends_when = '', m.says = '', m.notice = '', m.posted = 0, m.taken_down = 0
DELETE h, w, o, a, l, t, s, k, f
MERGE (p:Character:Player {id: 'player'})
RETURN m.filling
