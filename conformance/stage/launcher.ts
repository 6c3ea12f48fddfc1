/** Starts the bridge and ends it; verify itself never ends anything else. */
export type Launcher = {
  /** Starts it, or starts it again once it is dead. `onEnd` is called when it ends by itself. */
  start(at: { url: string; token: string; onEnd: () => void }): void;
  /** Sends a signal; resolves when the bridge is dead, at the latest after some seconds. */
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** How it ended, for people; undefined while it runs. */
  ended(): string | undefined;
  /** The last of what it printed. */
  tail(): string;
};
