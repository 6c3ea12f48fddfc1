import type { KeptEventType } from '../../db/schema/events.ts';

export const LANGUAGES = ['en', 'de', 'pt'] as const;
export type Language = (typeof LANGUAGES)[number];

type Texts = {
  /** Events that are not commands, by their type. */
  types: Record<Exclude<KeptEventType, 'command.settled' | 'command.waiting' | 'command.indeterminate'>, string>;
  /** How a command stands. */
  executed: { yes: string; no: string; unknown: string; waiting: string };
  commands: Record<string, string>;
  /** Before the command that a batch takes back. */
  undo: string;
  by: (name: string) => string;
  /** The title of a summary. */
  more: (count: number) => string;
  test: string;
};

export const TEXTS: Record<Language, Texts> = {
  en: {
    types: {
      'batch.settled': 'Batch ended',
      'schedule.run': 'Schedule ran',
      'schedule.refused': 'Schedule did not run',
      'schedule.paused': 'Schedule paused',
      'shop.line.unmatched': 'An order needs a decision',
      'shop.line.delivered': 'Order delivered',
      'server.offline': 'Server offline',
      'server.online': 'Server online',
      'player.first_seen': 'New player',
      'webhook.off': 'A webhook was switched off',
    },
    executed: { yes: 'done', no: 'not done', unknown: 'unknown: please check', waiting: 'waiting' },
    commands: {
      money: 'Payment',
      kick: 'Kick',
      items: 'Items',
      vehicles: 'Vehicle',
      job: 'Job',
      announce: 'Announcement',
    },
    undo: 'Undo',
    by: (name) => `by ${name}`,
    more: (count) => `And ${count} more events`,
    test: 'Causeway can write here.',
  },
  de: {
    types: {
      'batch.settled': 'Sammelauftrag beendet',
      'schedule.run': 'Zeitplan ausgeführt',
      'schedule.refused': 'Zeitplan nicht ausgeführt',
      'schedule.paused': 'Zeitplan angehalten',
      'shop.line.unmatched': 'Eine Bestellung braucht eine Entscheidung',
      'shop.line.delivered': 'Bestellung geliefert',
      'server.offline': 'Server offline',
      'server.online': 'Server online',
      'player.first_seen': 'Neuer Spieler',
      'webhook.off': 'Ein Webhook wurde abgeschaltet',
    },
    executed: { yes: 'ausgeführt', no: 'nicht ausgeführt', unknown: 'unklar: bitte prüfen', waiting: 'wartet' },
    commands: {
      money: 'Zahlung',
      kick: 'Kick',
      items: 'Gegenstände',
      vehicles: 'Fahrzeug',
      job: 'Job',
      announce: 'Durchsage',
    },
    undo: 'Rückgängig',
    by: (name) => `von ${name}`,
    more: (count) => `Und ${count} weitere Ereignisse`,
    test: 'Causeway kann hier schreiben.',
  },
  pt: {
    types: {
      'batch.settled': 'Lote terminado',
      'schedule.run': 'Agendamento executado',
      'schedule.refused': 'Agendamento não executado',
      'schedule.paused': 'Agendamento em pausa',
      'shop.line.unmatched': 'Uma encomenda precisa de uma decisão',
      'shop.line.delivered': 'Encomenda entregue',
      'server.offline': 'Servidor offline',
      'server.online': 'Servidor online',
      'player.first_seen': 'Novo jogador',
      'webhook.off': 'Um webhook foi desligado',
    },
    executed: { yes: 'feito', no: 'não feito', unknown: 'desconhecido: verifique', waiting: 'à espera' },
    commands: {
      money: 'Pagamento',
      kick: 'Expulsão',
      items: 'Itens',
      vehicles: 'Veículo',
      job: 'Trabalho',
      announce: 'Anúncio',
    },
    undo: 'Estorno',
    by: (name) => `por ${name}`,
    more: (count) => `E mais ${count} eventos`,
    test: 'O Causeway pode escrever aqui.',
  },
};
