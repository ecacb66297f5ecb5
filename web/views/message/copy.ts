import { toAppError } from '../../store/app-error.ts'
import { toast } from '../../ui/feedback/toast.ts'

/** Copies a text that may be on its way still, and says so. */
export async function copy(text: string | Promise<string>, done: string): Promise<void> {
  try {
    const blob = Promise.resolve(text).then((loaded) => new Blob([loaded], { type: 'text/plain' }))
    // Handed over before it is there: a browser lets a page copy only while it answers a press.
    await navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })])
    toast(done)
  } catch (error) {
    const trouble = await Promise.resolve(text).then(
      () => null,
      () => toAppError(error),
    )
    const words = trouble?.message ?? 'The browser did not let the page copy. Select the text and copy it by hand.'
    toast(words, { kind: 'error' })
  }
}
