/**
 * Keys that this process holds, and texts without them. What a server answers may hold what it was sent: error pages print
 * headers, proxies print requests. Whoever takes a key from the environment tells it here, and every message is cleared of it,
 * wherever it was put together.
 */

/** Shorter ones are placeholders (`none`, `EMPTY`): nobody hands out such keys, and they are words of other messages. */
const SHORTEST = 8

/** Of each secret the forms it may stand in, the longest first. */
const forms = new Map<string, readonly string[]>()
/** Of each secret, what any text in base64 holds in which it stands. */
const cores = new Map<string, readonly string[]>()

/** From now on `secret` is in no message. */
export function keepSecret(secret: string): void {
  if (secret.length < SHORTEST || forms.has(secret)) return
  forms.set(secret, formsOf(secret))
  cores.set(secret, coresOf(secret))
}

/** A text in which `[key]` stands for every secret: as it is, escaped, percent-encoded, in hexadecimal, in base64. */
export function withoutSecrets(text: string): string {
  let clear = text
  for (const [secret, written] of forms) {
    for (const form of written) if (clear.includes(form)) clear = clear.replaceAll(form, '[key]')
    for (const core of cores.get(secret) ?? []) if (clear.includes(core)) clear = withoutWord(clear, core)
  }
  return clear
}

function formsOf(secret: string): string[] {
  const percent = encodeURIComponent(secret)
  const bytes = [...Buffer.from(secret)].map((byte) => byte.toString(16).padStart(2, '0'))
  const html = secret.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`)
  const named = secret.replace(/[&<>"]/g, (letter) => NAMES[letter])
  const plain = [secret, percent, percent.replace(/%../g, (code) => code.toLowerCase()), html, named]
  const spelled = [bytes.join(''), bytes.join('').toUpperCase(), `%${bytes.join('%')}`]
  // JSON inside of JSON is escaped twice; some writers escape the slash, too.
  const escaped = [...plain, ...spelled].flatMap((form) => {
    const once = inJson(form)
    return [form, once, inJson(once), once.replaceAll('/', '\\/'), inJson(once.replaceAll('/', '\\/'))]
  })
  return [...new Set(escaped)].sort((a, b) => b.length - a.length)
}

const NAMES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** How a secret looks in base64, by its place among groups of three bytes: the letters that hang on its own bytes alone. */
function coresOf(secret: string): string[] {
  const found = [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)])
    const whole = Math.floor(bytes.length / 3) * 4
    return bytes.toString('base64').slice(before === 0 ? 0 : before + 1, whole)
  })
  return [...new Set(found.flatMap((core) => [core, core.replaceAll('+', '-').replaceAll('/', '_')]))]
}

/** All that hangs together with a piece of base64 goes: its ends hold the rest of the secret. */
function withoutWord(text: string, core: string): string {
  let clear = text
  for (let at = clear.indexOf(core); at >= 0; at = clear.indexOf(core, at)) {
    let [from, to] = [at, at + core.length]
    while (from > 0 && /[\w+/-]/.test(clear[from - 1])) from--
    while (to < clear.length && /[\w+/=-]/.test(clear[to])) to++
    clear = `${clear.slice(0, from)}[key]${clear.slice(to)}`
    at = from
  }
  return clear
}
