import type { Db } from '../../platform/storage/storage.ts'
import type { Mail } from './mail.ts'

/** The content of a mail. */
export type RenderedEmail = {
  /** One line. Line breaks become spaces. */
  subject: string
  text: string
  html: string
  /** The organization that sends it. Its name and host form the List-Id header. */
  list?: { name: string; host: string }
  /** The address for the List-Unsubscribe header; see `unsubscribePath`. */
  unsubscribe?: string
}

export type TemplateContext = { db: Db; mail: Mail; now: number }

/** Renders a mail from the data in the outbox. Returns null if it must not be sent any longer: the mail is canceled then. */
type EmailTemplate = (data: unknown, context: TemplateContext) => Promise<RenderedEmail | null> | RenderedEmail | null

/** All templates by the name that `queueMail` takes. */
export type EmailTemplates = Readonly<Record<string, EmailTemplate>>
