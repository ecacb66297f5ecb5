import { useEffect, useRef, useState } from 'react'
import { canUndoSend, UNDO_SEND_TIME } from '../../store/browser/undo-send.ts'

/**
 * Delays a message if “Undo send” is on. The message stays in the compose box meanwhile. It is sent immediately if the
 * user leaves the page or presses Send again.
 */
export function useHeldMessage(): {
  isHeld: boolean
  /** Calls `send` now, or after a few seconds if “Undo send” is on. */
  hold: (send: () => void) => void
  undo: () => void
  /** Sends the message immediately if it is held. */
  release: () => void
} {
  const [isHeld, setHeld] = useState(false)
  const held = useRef<{ send: () => void; timer: ReturnType<typeof setTimeout> } | null>(null)

  function release(): void {
    const message = held.current
    if (message === null) return
    clearTimeout(message.timer)
    held.current = null
    setHeld(false)
    message.send()
  }

  const latest = useRef(release)
  useEffect(() => {
    latest.current = release
  })
  useEffect(() => {
    const leave = () => latest.current()
    addEventListener('pagehide', leave)
    return () => {
      removeEventListener('pagehide', leave)
      leave()
    }
  }, [])

  return {
    isHeld,
    hold(send) {
      if (held.current !== null) return release()
      if (!canUndoSend()) return send()
      held.current = { send, timer: setTimeout(() => latest.current(), UNDO_SEND_TIME) }
      setHeld(true)
    },
    undo() {
      if (held.current !== null) clearTimeout(held.current.timer)
      held.current = null
      setHeld(false)
    },
    release,
  }
}
