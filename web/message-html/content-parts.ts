import { type ComponentType, createContext, type ReactNode, useContext, useState } from 'react'
import type { HtmlElement, HtmlNode } from './parse-html.ts'

/** A code block in a message. `language` is the name that the server uses; empty if there is none. */
export type Code = { language: string; text: string }

/** A mention of the user or group with this id, or of everyone. */
export type MentionProps = {
  kind: 'user' | 'group' | 'wildcard'
  id: number
  isSilent: boolean
  /** The name as the server rendered it, with the `@`. */
  text: string
}

export type ChannelLinkProps = { channelId: number; href: string; children: ReactNode }

/** Components that know the organization. If a component is missing, its element is shown as the server rendered it. */
export type ContentParts = {
  readonly Mention?: ComponentType<MentionProps>
  readonly ChannelLink?: ComponentType<ChannelLinkProps>
  /** Links that open the code elsewhere. */
  readonly CodeLinks?: ComponentType<Code>
  /** Shows a point in time. `iso` is in ISO format. */
  readonly Moment?: ComponentType<{ iso: string }>
}

export type ShowContext = {
  readonly parts: ContentParts
  /** Turns nodes into elements. */
  show(nodes: readonly HtmlNode[]): ReactNode[]
  /** Returns a name for a part that the user can open. The part has the same name each time the message is shown. */
  nextPart(): string
}

/** Returns the content to show for an element; undefined to show the element as it is. */
export type ShowSpecial = (node: HtmlElement, context: ShowContext) => ReactNode | undefined

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
