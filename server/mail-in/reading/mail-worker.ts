// The worker thread that reads one email. It ends after it.
import { parentPort, workerData } from 'node:worker_threads'
import { type MailTask, readMail } from './read-mail.ts'

const { raw, options } = workerData as MailTask
const mail = await readMail(raw, options)
parentPort?.postMessage(mail)
