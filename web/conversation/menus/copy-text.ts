import { toAppError } from '../../store/app-error.ts'
import { t } from '../../text/t.ts'
import { showToast } from '../../ui/toasts.ts'

/** Copies text, which may still be loading, and shows a confirmation. */
export async function copyText(text: string | Promise<string>, done: string): Promise<void> {
  try {
    const blob = Promise.resolve(text).then((loaded) => new Blob([loaded], { type: 'text/plain' }))
    // Passed as a promise, since browsers allow copying only during a user gesture.
    await navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })])
    showToast(done)
  } catch (error) {
    const problem = await Promise.resolve(text).then(
      () => null,
      () => toAppError(error),
    )
    const query = problem?.message ?? t('Your browser blocked copying. Select the text and copy it yourself.')
    showToast(query, { kind: 'error' })
  }
}
