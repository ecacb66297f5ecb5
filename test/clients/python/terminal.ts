import { execFile } from 'node:child_process'
import { after } from 'node:test'
import { promisify } from 'node:util'
import { eventually } from './program.ts'

const run = promisify(execFile)

/** A program in its own terminal, with its screen and keyboard. */
export type Terminal = {
  /** Returns the lines on the screen. */
  screen(): Promise<string>
  /** Presses keys by the names that tmux gives them: `Down`, `Escape`, `C-d`. */
  press(...keys: string[]): Promise<void>
  type(text: string): Promise<void>
  /** Waits until the screen shows all of this, and returns it. */
  until(...parts: (string | RegExp)[]): Promise<string>
  /** Waits until this text disappears from the screen. */
  untilGone(part: RegExp): Promise<void>
  /**
   * Presses Escape, repeatedly if nothing happens, until this text disappears from the screen. Outside the compose box,
   * zulip-terminal lists the messages again on Escape, and forgets a message that arrives at that moment.
   */
  escape(part: RegExp): Promise<void>
  /** Moves down until the screen shows this: new lines may appear below its edge. */
  downTo(part: string): Promise<void>
  /** Waits until the program exits, and returns the last screen. */
  ended(): Promise<string>
}

/**
 * The number of looks at the screen between two presses of Escape. A busy program may read several keys as another one.
 */
const LOOKS_BETWEEN_ESCAPES = 20

/** Returns the reason why there is no terminal for tests; false if there is one. */
export async function terminalMissing(): Promise<string | false> {
  const answer = await run('tmux', ['-V']).catch(() => null)
  return answer === null ? 'there is no tmux' : false
}

/** Starts a command in its own tmux server with a socket in the folder. It stops with the test. */
export async function openTerminal(folder: string, command: string): Promise<Terminal> {
  const tmux = async (...args: string[]) => {
    const all = ['-S', `${folder}/tmux`, '-f', '/dev/null', ...args]
    const { stdout } = await run('tmux', all, { env: { ...process.env, TERM: 'xterm-256color', HOME: folder } })
    return stdout
  }
  // The shell after it keeps the last screen, and exits with the session.
  await tmux('new-session', '-d', '-x', '140', '-y', '45', `cd ${folder}; ${command}; echo "ENDED $?"; exec sleep 120`)
  after(() => tmux('kill-server').catch(() => ''))

  const screen = () => tmux('capture-pane', '-p')
  const shows = (text: string, part: string | RegExp) =>
    typeof part === 'string' ? text.includes(part) : part.test(text)
  async function until(...parts: (string | RegExp)[]): Promise<string> {
    let last = ''
    const look = async () => {
      last = await screen()
      return parts.every((part) => shows(last, part)) ? last : undefined
    }
    return eventually(look, () => `the screen does not show ${parts.join(' and ')}:\n${last}`)
  }
  /** Calls `press` with the number of earlier calls before each look, until the screen does not show this. */
  async function pressUntilGone(part: RegExp, press: (looks: number) => Promise<unknown>): Promise<void> {
    let [looks, last] = [0, '']
    const look = async () => {
      await press(looks++)
      last = await screen()
      return shows(last, part) ? undefined : true
    }
    await eventually(look, () => `the screen still shows ${part}:\n${last}`)
  }
  return {
    screen,
    until,
    untilGone: (part) => pressUntilGone(part, async () => {}),
    escape: (part) =>
      pressUntilGone(part, async (looks) => {
        if (looks % LOOKS_BETWEEN_ESCAPES === 0) await tmux('send-keys', 'Escape')
      }),
    async downTo(part) {
      let last = ''
      const look = async () => {
        await tmux('send-keys', 'Down')
        last = await screen()
        return shows(last, part) || undefined
      }
      await eventually(look, () => `there is no ${part} further down:\n${last}`)
    },
    async press(...keys) {
      for (const key of keys) await tmux('send-keys', key)
    },
    async type(text) {
      await tmux('send-keys', '-l', text)
    },
    ended: () => until('ENDED'),
  }
}
