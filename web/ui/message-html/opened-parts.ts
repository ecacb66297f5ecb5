import { createContext, useContext, useState } from 'react'

/**
 * The parts of messages that the user has opened or closed, by message and part. They keep their state while the
 * message is scrolled away.
 */
const changed = new Map<string, boolean>()

/** The key of the message that is shown; undefined if its parts do not keep their state. */
export const MessageKey = createContext<string | undefined>(undefined)

/** Returns whether a part of the message is open, and a function to change it. */
export function useOpened(part: string): [isOpen: boolean, setOpen: (isOpen: boolean) => void] {
  const message = useContext(MessageKey)
  const key = message === undefined ? undefined : `${message} ${part}`
  const [isOpen, setOpen] = useState(() => (key !== undefined && changed.get(key)) || false)
  return [
    isOpen,
    (next) => {
      if (key !== undefined) changed.set(key, next)
      setOpen(next)
    },
  ]
}
