/**
 * Loaded before a script that run.mjs starts. Sends the process a SIGTERM when the launcher dies, so that no server is
 * left behind.
 */
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
process.channel?.unref()
