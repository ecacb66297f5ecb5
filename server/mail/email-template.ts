import type { Db } from '#storage/storage.ts'
import type { Mail } from './mail.ts'

export type RenderedEmail = {
  /** One line. Line breaks become spaces. */
  subject: string
  text: string
  html: string
  /** The organization that sends the email. Its name and host form the List-Id header. */
  list?: { name: string; host: string }
  /** The address for the List-Unsubscribe header; see `unsubscribePath`. */
  unsubscribe?: string
}

export type TemplateContext = { db: Db; mail: Mail; now: number }

/**
 * Renders an email from the data in the outbox. Returns null if the email must no longer be sent; the server then
 * cancels it.
 */
type EmailTemplate = (data: unknown, context: TemplateContext) => Promise<RenderedEmail | null> | RenderedEmail | null

/** All templates by name. `queueMail` takes the name of a template. */
export type EmailTemplates = Readonly<Record<string, EmailTemplate>>
