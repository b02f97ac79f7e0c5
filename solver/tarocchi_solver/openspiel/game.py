"""Games and states as pyspiel wants them, and their registration.

Utilities are points of one deal: in the games for four the own side's minus the other's, the same for both partners
(zero-sum); in Terziglio the own game points (zero-sum where the losers pay).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final

import pyspiel

from tarocchi_engine import VARIANTS, OptionInfo, Standing, State, Variant, get_variant, new_deal, options_of
from tarocchi_engine.cards import CARD_COUNT
from tarocchi_engine.match import FIRST_DEAL, find_standing_faults
from tarocchi_solver.openspiel.actions import action_count, action_text, most_actions
from tarocchi_solver.openspiel.dealing import cards_dealt
from tarocchi_solver.openspiel.moment import CHANCE, TERMINAL, Moment, Past, Rules, Step
from tarocchi_solver.openspiel.observer import Observer

GAME_NAMES: Final = {name: f"tarocchi_{name}" for name in VARIANTS}
"""The registered name of each variant's game."""
DRAWN: Final = -1
"""The value of the parameter `dealer` where chance draws the dealer."""
_SCORES, _DEALS_PLAYED, _DEALER = "scores", "deals_played", "dealer"


def register_games() -> None:
    """Makes the games known to `pyspiel.load_game`; once is enough."""
    known = set(pyspiel.registered_names())
    for game in _GAMES:
        if GAME_NAMES[game.variant_name] not in known:
            pyspiel.register_game(game_type(VARIANTS[game.variant_name]), game)


def game_type(variant: Variant) -> pyspiel.GameType:
    """Returns what pyspiel has to know of a variant with its options."""
    is_zero_sum = not variant.seats_score_alone or variant.deal_points == 0
    return pyspiel.GameType(
        short_name=GAME_NAMES[variant.name],
        long_name=variant.title_en,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM if is_zero_sum else pyspiel.GameType.Utility.GENERAL_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=variant.seat_count,
        min_num_players=variant.seat_count,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={
            _DEALER: DRAWN,
            _SCORES: "",
            _DEALS_PLAYED: 0,
            **{info.name: _parameter(info.values, info.default) for info in options_of(variant)},
        },
    )


def game_info(rules: Rules) -> pyspiel.GameInfo:
    """Returns the bounds of a game."""
    variant = rules.variant
    least, most = variant.least_points, variant.most_points
    if not variant.seats_score_alone:
        least, most = least - most, most - least
    is_zero_sum = not variant.seats_score_alone or variant.deal_points == 0
    return pyspiel.GameInfo(
        num_distinct_actions=action_count(variant),
        max_chance_outcomes=CARD_COUNT,
        num_players=variant.seat_count,
        min_utility=float(least),
        max_utility=float(most),
        utility_sum=0.0 if is_zero_sum else None,
        max_game_length=most_actions(variant),
    )


def _parameter(values: tuple[str, ...], text: str) -> bool | int | str:
    """Returns the value of a rule option as the parameter of a game: of the type that pyspiel reads it as."""
    if set(values) == {"true", "false"}:
        return text == "true"
    return int(text) if all(value.isdigit() for value in values) else text


def _option_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def make_rules(name: str, parameters: Mapping[str, Any]) -> Rules:
    """Returns the rules that parameters of a game stand for.

    Raises ValueError, or `OptionError` of the engine, for a value that does not fit.
    """
    given = {
        info.name: _option_text(parameters[info.name]) for info in options_of(VARIANTS[name]) if info.name in parameters
    }
    variant = get_variant(name, given)
    dealer = int(parameters.get(_DEALER, DRAWN))
    if not DRAWN <= dealer < variant.seat_count:
        raise ValueError(f"dealer is {dealer}: give a seat from 0 to {variant.seat_count - 1}, or {DRAWN} to draw one")
    text = str(parameters.get(_SCORES, ""))
    try:
        scores = tuple(float(score) for score in text.split("/")) if text else ()
    except ValueError:
        raise ValueError(f"scores is {text!r}: give numbers with / between them, such as 640/720") from None
    standing = Standing(scores, int(parameters.get(_DEALS_PLAYED, 0)))
    if faults := find_standing_faults(variant, standing):
        raise ValueError("; ".join(f"{fault.path}: {fault.message}" for fault in faults))
    return Rules(variant, None if dealer == DRAWN else dealer, standing)


class TarocchiGame(pyspiel.Game):
    """One deal of a variant.

    Parameters: `dealer`, a seat or -1 to let chance draw it; every rule option of the variant; and of the match before
    this deal `scores`, such as `640/720`, and `deals_played`.
    """

    variant_name: ClassVar[str]

    def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
        """Makes a game; raises ValueError for parameters that do not fit."""
        self.rules = make_rules(self.variant_name, parameters or {})
        super().__init__(game_type(self.rules.variant), game_info(self.rules), dict(parameters or {}))

    def new_initial_state(self) -> TarocchiState:
        """Returns the state before the first card is dealt."""
        return TarocchiState(self, Moment.first(self.rules))

    def max_chance_nodes_in_history(self) -> int:
        """Returns one for each card, and one for the dealer if it is drawn."""
        return CARD_COUNT + (self.rules.dealer is None)

    def make_py_observer(self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None) -> Observer:
        """Returns an observer; with perfect recall it has no tensor."""
        if params:
            raise ValueError(f"there are no parameters of an observer: {sorted(params)}")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if not kind.public_info or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            raise ValueError("an observer sees what is public and the cards of one seat: nothing less, nothing more")
        return Observer(self.rules.variant, has_tensor=not kind.perfect_recall)


# pyspiel lets go of the makers of games after the interpreter has ended, which only a class survives: a function or a
# partial object is freed there, and that aborts the process.
_GAMES: Final[tuple[type[TarocchiGame], ...]] = tuple(
    type(f"{name.capitalize()}Game", (TarocchiGame,), {"variant_name": name}) for name in VARIANTS
)


class TarocchiState(pyspiel.State):
    """A state: the deal card by card, then the moves."""

    def __init__(self, game: TarocchiGame, moment: Moment) -> None:
        super().__init__(game)
        self._moment: Step = moment

    @property
    def moment(self) -> Moment:
        """The moment at which the game stands."""
        assert isinstance(self._moment, Moment)
        return self._moment

    @property
    def deal(self) -> State | None:
        """The deal as the engine has it, None before all cards are dealt."""
        return self.moment.state

    def current_player(self) -> int:
        """Returns the seat to move, or pyspiel's number for chance or the end."""
        return self._moment.player

    def is_terminal(self) -> bool:
        """Tells whether the deal is over."""
        return self._moment.player == TERMINAL

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Returns the cards left in the pack, all equally likely, or the seats that may deal."""
        chances = self.moment.chances()
        return [(chance, 1.0 / len(chances)) for chance in chances]

    def _legal_actions(self, player: int) -> list[int]:
        return self.moment.actions() if player == self._moment.player else []

    def _apply_action(self, action: int) -> None:
        self._moment = self._moment.after(int(action))

    def _action_to_string(self, player: int, action: int) -> str:
        pack = self.moment.rules.variant.pack
        if player != CHANCE:
            return action_text(pack, action)
        return f"seat {action} deals" if self.moment.dealer is None else f"deal {pack.format_card(action)}"

    def returns(self) -> list[float]:
        """Returns the utility of every seat; 0 before the end."""
        return self.moment.utilities()

    def resample_from_infostate(self, player: int, probability_sampler: Callable[[], float]) -> TarocchiState:
        """Draws a state that `player` cannot tell from this one, with a history of its own.

        The unseen cards lie as in a deal drawn uniformly among all that fit what the player knows.
        """
        moment, history = self.moment.resampled(player, probability_sampler)
        state = self.get_game().new_initial_state()
        for actor, action in history:
            state._moment = Past(actor)
            state.apply_action(action)
        state._moment = moment
        assert isinstance(state, TarocchiState)
        return state

    def __str__(self) -> str:
        moment = self.moment
        pack = moment.rules.variant.pack
        if moment.state is None:
            return f"dealer {moment.dealer}; dealt {' '.join(map(pack.format_card, moment.cards))}"
        seats = range(moment.rules.variant.seat_count)
        stock = f"; stock {' '.join(pack.format_mask(moment.state.stock))}" if moment.state.stock else ""
        return "\n".join(moment.text_for(seat) for seat in seats) + stock


def game_of(variant: Variant, dealer: int | None = None, standing: Standing = FIRST_DEAL) -> TarocchiGame:
    """Returns the game of one deal of a variant with its options, with a dealer or with one to be drawn."""
    parameters = {
        _DEALER: DRAWN if dealer is None else dealer,
        _SCORES: "/".join(map(repr, standing.scores)),
        _DEALS_PLAYED: standing.deals_played,
        **{info.name: _parameter(info.values, value) for info, value in _values_of(variant)},
    }
    game = pyspiel.load_game(GAME_NAMES[variant.name], parameters)
    assert isinstance(game, TarocchiGame)
    return game


def _values_of(variant: Variant) -> list[tuple[OptionInfo, str]]:
    return [(info, _option_text(getattr(variant, info.name))) for info in options_of(variant)]


def dealt_state(game: TarocchiGame, start: int | State) -> TarocchiState:
    """Returns the state of a deal before its first move.

    Args:
        game: the game, whose parameter `dealer` counts; if it is to be drawn, the deal has it.
        start: the seed of a deal as `tarocchi_engine.new_deal` shuffles it, or such a deal.
    """
    rules = game.rules
    if not isinstance(start, State):
        start = new_deal(rules.variant, start, rules.dealer, rules.standing)
    state = game.new_initial_state()
    if rules.dealer is None:
        state.apply_action(start.table.dealer)
    for card in cards_dealt(start):
        state.apply_action(card)
    return state
