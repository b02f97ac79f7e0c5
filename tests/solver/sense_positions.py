"""Temptations to play what no partner would understand, from deals that the solver has played with itself."""

from __future__ import annotations

from typing import Final

from solver.positions import Position

POSITIONS: Final = (
    Position(
        "partner ruffed, the partner has trumped for good: trick DA T8 DN, 3 tricks left",
        "bolognese",
        3,
        3,
        "ANG MON LUN T14 T6 MO2 MO3 SN SJ S9 S6 SA BQ C10 DQ D6 D10",
        "-SA.D6 [] T7 [BEG.MAT.SK.SQ] MAT [BN.CN.DN] T16 [ANG.MON.LUN] LUN SN MO4 S8 S7 CK CA CQ C10 C8 C6 C9 MO3 "
        "D10 DJ D7 DK CN T6 C7 BEG ANG T11 T5 T15 MON T10 T13 MO1 S9 T9 S10 BA B6 B8 BK BQ D9 DQ D8 T12 SQ CJ S6 SOL "
        "DA T8 DN",
        "T14",
    ),
    Position(
        "partner ruffed, the partner's trump wins for good: trick MO1 T14 T12, 12 tricks left",
        "bolognese",
        3,
        0,
        "MON T16 T9 MO2 MO3 SJ S7 S6 BQ B7 BA C7 DQ D6 D8",
        "- [] T6 [] T11 [] T16 [ANG.SOL.MAT.SA.DK.DJ.DA] MAT D8 DA D9 D7 ANG MO4 T5 MO2 MO1 T14 T12",
        "MON",
    ),
    Position(
        "partner ruffed, the partner's trump wins for good: trick SOL T12, 3 tricks left",
        "bolognese",
        1,
        1,
        "ANG MON T11 T6 T5 MO2 SN SJ S7 B10 B8 CK CN C6 C8 DJ D9",
        "-CN.DJ [SQ.CQ.DQ] BJ [] BK [BEG.SA.BA.DA] B6 [] B10 CJ C7 CK CQ S7 SK T13 S8 DK DA D9 D10 C9 BEG C6 MO4 B7 "
        "MAT BN B8 T8 MO2 T7 T10 C10 MO3 C8 T14 B9 MO1 BA T6 SN S9 T9 S6 D8 DN T11 D6 SJ S10 LUN SA SOL T12",
        "ANG MON",
    ),
    Position(
        "partner ruffed, the partner's trump wins for good: trick T4 T9 MAT, 10 tricks left",
        "piedicavallo",
        3,
        3,
        "T21 T20 T12 T6 T5 T3 T1 SQ SJ S8 B8 B7 B5 CN DK DA D6",
        "-B8.CN=0 S7 S9 SK S8 B9 B7 BN BK D4 DN DK T2 CQ C3 C4 T6 B5 BQ BJ B10 T4 T9 MAT",
        "T21 T20 T12",
    ),
    Position(
        "partner ruffed, the partner's trump wins for good: trick T5 T14, 14 tricks left",
        "terziglio",
        2,
        2,
        "T15 MO4 BEG SN S6 SA BQ BJ B9 B8 CJ C6 C7 C8 C10 DN D7 D8",
        "gioco pass pass - [ANG.MON.T16.MAT.BK.CK.CQ.CN.DK] ANG [] T12 [] MO4 CK C9 C10 S8 S10 SN C7 CQ CA T5 T14",
        "T15",
    ),
    Position(
        "winners thrown away, an opponent has the trick: trick T6, 12 tricks left",
        "bolognese",
        3,
        2,
        "SOL T15 T13 T10 T9 T7 BEG SK SQ SJ B9 C8 DK D9 D10",
        "- [BEG.SK.SQ.SJ] T7 [] MO2 [MAT.SA.CA] T12 [] T14 MO1 T9 T16 MON SA MO4 SJ SN T6",
        "BEG",
    ),
    Position(
        "winners thrown away, an opponent has the trick: trick B9 B7 T21, 6 tricks left",
        "piedicavallo",
        1,
        0,
        "T18 T16 T15 T14 T7 T5 T1 SN B10 B8 CK CA DN D5 D6",
        "-=0 D5 D3 DQ DK T8 T7 T12 T17 T4 MAT T18 T6 T15 T13 T10 T19 C2 CA CN C3 BJ BQ BK B8 CJ CK C6 T3 D2 DJ DN S9 "
        "B10 BN B5 B6 B9 B7 T21",
        "T1",
    ),
    Position(
        "winners thrown away, an opponent has the trick: trick T3 MAT T13, 14 tricks left",
        "piedicavallo",
        2,
        3,
        "T19 T14 T8 T2 T1 SK S5 BQ BN B10 CN C6 DN DA D4",
        "-=0 B9 B5 BN BK T3 MAT T13",
        "T1",
    ),
    Position(
        "winners thrown away, an opponent has the trick: trick T8 T16 T17, 8 tricks left",
        "piedicavallo",
        1,
        0,
        "T18 T15 T13 T12 T10 T4 T2 SK S10 S9 BN CA DQ D5 D6",
        "-=0 T12 T1 T20 T7 T21 T11 T2 T5 B5 B10 BN B7 D5 D3 D4 DK D2 D6 DN T3 C2 CK CA C4 DA DQ T19 MAT T8 T16 T17",
        "T15",
    ),
    Position(
        "winners thrown away, an opponent has the trick: trick T10 BEG MO1, 10 tricks left",
        "ottocento",
        0,
        0,
        "ANG SOL T14 T9 T7 MO2 MO4 MAT SK S8 BK B10 B9 B8 C7 C10 D9",
        "play {} -B8.C10 [SA.CA.DK.DQ.DN.DA] T5 [] T6 [SJ.BJ.CK.CQ.CN.DJ] T15 [ANG.SOL.MO2.MO4.MAT] MAT T13 MO2 MO3 "
        "LUN S9 SQ SK S7 BK BQ B7 B6 T7 MON T8 T16 T10 BEG MO1",
        "MO4",
    ),
    Position(
        "winners thrown away, an opponent has the trick: trick T11 T9 MAT, 13 tricks left",
        "ottocento",
        1,
        0,
        "LUN T15 T14 T13 T6 MO4 BEG SN B10 B8 CK CA DN D9 D10",
        "play {} - [] D10 [] D7 [] DQ [ANG.SOL.MAT.DK.DJ] DK S10 SN SK S7 T11 T9 MAT",
        "BEG",
    ),
    Position(
        "no points to the partner, the partner has the trick: trick B9 D10, 5 tricks left",
        "bolognese",
        2,
        2,
        "ANG MON T9 T8 MO2 MAT SQ S7 SA BN BJ CK CQ C6 C9 DA D6",
        "-BN.BJ [] T10 [MO1.MO3.BEG.SK.SJ] T11 [] T5 [ANG.MON.MAT.SA.CK.CQ.DA] MO2 B6 B10 MAT BK D9 DK DJ DA BEG T6 "
        "MON T13 CK C10 C8 C7 T9 SOL MO1 T15 S8 SJ SN SQ ANG T7 MO3 MO4 T8 T16 LUN B7 BQ B8 C6 D8 B9 D10",
        "S7 C9 D6",
    ),
    Position(
        "no points to the partner, the partner has the trick: trick S7 SN SA, 12 tricks left",
        "bolognese",
        2,
        0,
        "LUN T14 MO1 MO2 BEG SK SJ S8 BK B9 B7 CK C6 DN DJ",
        "- [] MAT [MO1.MO2.BEG.SK.SJ.BK.CK] DN [] DK [] D8 D10 DQ D6 DJ T9 MO4 MO1 T13 S7 SN SA",
        "S8",
    ),
    Position(
        "no points to the partner, the partner has the trick: trick CK C5, 3 tricks left",
        "piedicavallo",
        0,
        2,
        "T20 T14 T12 T9 T1 MAT SK S9 S7 S5 BJ B8 C3 DK D2",
        "-=0 T6 MAT T16 T17 T4 T5 T12 T13 BK T15 B10 BJ CQ CA C3 C6 D3 DJ DK D5 SK S10 SJ S6 S9 T10 S8 SQ DQ D4 T11 "
        "D2 T8 T14 T21 T3 B7 T7 B5 B8 D6 T2 T9 DA S5 CN T19 SN CK C5",
        "T20",
    ),
    Position(
        "no points to the partner, the partner has the trick: trick B6 B10 B9, 9 tricks left",
        "ottocento",
        3,
        0,
        "MON T16 T9 MO2 MO3 SJ S7 S6 BQ B7 BA C7 DQ D6 D8",
        "play {} - [] D10 [] D7 [] DQ [ANG.SOL.MAT.DK.DJ] DK S10 SN SK S7 T11 T9 MAT T13 MO4 T5 MO2 MO1 CN C7 C8 CK "
        "B8 BJ BQ BK B6 B10 B9",
        "B7",
    ),
    Position(
        "no points to the partner, the partner has the trick: trick T10 LUN, 5 tricks left",
        "terziglio",
        2,
        2,
        "T15 MO4 BEG SN S6 SA BQ BJ B9 B8 CJ C6 C7 C8 C10 DN D7 D8",
        "gioco pass pass - [ANG.MON.T16.MAT.BK.CK.CQ.CN.DK] ANG [] T12 [] MO4 CK C9 C10 S8 S10 SN C7 CQ CA T5 T14 "
        "BEG T7 T15 MAT CJ CN MO3 T11 D8 T8 T9 C8 T6 SK SA SJ S9 S6 SQ BK B7 B8 MON MO1 D7 T10 LUN",
        "B9",
    ),
    Position(
        "suit shown void, an opponent trumps it: to lead, 10 tricks left (3)",
        "piedicavallo",
        2,
        2,
        "T16 T9 T8 T6 T3 T1 MAT S5 BQ BJ B10 B9 CQ CJ C2 C3 D2",
        "-B10.C3=0 DQ DA D5 D2 T7 T21 T10 MAT C4 T4 C2 C6 S9 S5 SQ SK D4 DJ T1 D3",
        "CQ CJ",
    ),
    Position(
        "suit shown void, an opponent trumps it: to lead, 5 tricks left",
        "piedicavallo",
        0,
        3,
        "T17 T16 T15 T13 T11 T4 T2 S7 S6 BQ BN B6 CK CQ CA",
        "-=0 S7 S9 SK S8 B9 B7 BN BK D4 DN DK T2 CQ C3 C4 T6 B5 BQ BJ B10 T4 T9 MAT T1 CJ C5 T5 CA T12 T13 T10 T8 B6 "
        "T7 T14 T20 DA T16 D5 DQ",
        "CK",
    ),
    Position(
        "suit shown void, an opponent trumps it: to lead, 3 tricks left",
        "piedicavallo",
        3,
        0,
        "T17 T16 T14 T2 SQ SJ BN BJ B6 B5 CK CQ CN DJ D2",
        "-=0 T6 T1 T16 T21 MAT S7 S6 SQ SJ SK S5 SN C3 CA C2 CK T2 T5 T20 T7 T11 T12 T17 T19 BK BQ B7 B5 B9 T4 T9 B6 "
        "C5 CQ C6 CJ T14 T15 T13 T18 D4 DJ T8 DA B8 D3 D6 BN",
        "D2",
    ),
    Position(
        "suit shown void, an opponent trumps it: to lead, 3 tricks left (2)",
        "ottocento",
        2,
        2,
        "MON LUN T15 T13 T12 T6 MO1 MO3 BEG SQ S10 S9 S7 BA C8 DK D6",
        "play {} -BA.C8 [MAT.BK.BQ.BN] MO4 [] MO2 [SN.CN.DN] T7 [MO1.MO3.BEG] LUN T6 MAT T11 T5 DA D7 D6 DJ S6 SK SN "
        "S7 CJ CN BEG C6 T12 T14 B7 SOL B8 MO1 B6 BJ MO3 T10 C7 T16 CQ T15 CK C9 SQ SA CA T9 ANG T13 BK D10 B9 MON "
        "BN DQ",
        "S10 S9",
    ),
    Position(
        "suit shown void, an opponent trumps it: to lead, 4 tricks left",
        "terziglio",
        2,
        1,
        "LUN T16 T15 T13 T11 T6 MO1 BEG SQ SN SJ S10 S6 BN BJ B7 B6 BA CK CQ CN C6 C8 DJ D6 D10",
        "gioco pass pass -S6.BN.BJ.B7.B6.BA.D6.D10 [BEG.CK.CQ.CN] CK [ANG.SOL.MO2.MO4.MAT] C7 [SA.CA.DK.DQ.DN.DA] C9 "
        "T6 MAT T12 DN DJ D9 S7 SQ SK BK BQ BEG CQ C10 CJ C8 T7 CA ANG MO3 T13 B10 MON MO1 T10 LUN SOL T9 T8 T11 C6 "
        "T14 DK T5 D8 T15 S10 S8 S9",
        "SN SJ CN",
    ),
    Position(
        "all looks equal, opponents fed: trick DN C7 DA, 2 tricks left",
        "bolognese",
        3,
        1,
        "T16 T10 MO1 SQ SN SJ S8 S7 BK BA CQ CN C10 DQ DJ",
        "- [] B10 [SQ.CQ.DQ] BA [ANG.SOL.LUN] B7 [] BN S9 SK SN T7 D10 BEG D8 DQ SA S10 S7 T8 BJ MAT B9 BK SQ T6 T15 "
        "MON MO3 MO1 SOL T9 ANG MO4 MO2 T10 D7 T12 D9 DJ C8 CA CQ CJ S8 LUN T14 T11 B8 C9 T5 T16 C10 T13 C6 DK DN C7 "
        "DA",
        "SJ",
    ),
    Position(
        "all looks equal, opponents fed: trick B10, 2 tricks left",
        "bolognese",
        2,
        1,
        "T15 T14 MO4 BEG MAT S7 BK B7 B6 BA CK CQ CN CJ C10",
        "- [BEG.MAT.CK.CQ.CN.CJ] BK [SK.SQ.SN.DK.DQ.DN] MO2 [ANG.MON.SOL] B9 [] BJ T9 T10 T13 T14 S7 SK S6 MO1 C7 CQ "
        "C8 C6 CN T16 SOL CA D9 DA BEG D8 CK MO3 MON C9 D6 T11 T15 D10 MO4 T6 ANG T5 S10 T8 C10 SN BQ B6 DQ BN T12 "
        "BA DK T7 B8 B7 S9 S8 B10",
        "CJ",
    ),
    Position(
        "all looks equal, opponents fed: trick B8 B7 S9, 3 tricks left",
        "bolognese",
        0,
        1,
        "ANG MON SOL T10 T7 S10 S8 S6 SA BN B9 C6 D6 D7 D9",
        "- [BEG.MAT.CK.CQ.CN.CJ] BK [SK.SQ.SN.DK.DQ.DN] MO2 [ANG.MON.SOL] B9 [] BJ T9 T10 T13 T14 S7 SK S6 MO1 C7 CQ "
        "C8 C6 CN T16 SOL CA D9 DA BEG D8 CK MO3 MON C9 D6 T11 T15 D10 MO4 T6 ANG T5 S10 T8 C10 SN BQ B6 DQ BN T12 "
        "BA DK T7 B8 B7 S9",
        "SA",
    ),
    Position(
        "all looks equal, ruff invited: to lead, 7 tricks left",
        "bolognese",
        2,
        1,
        "T15 T14 MO4 BEG MAT S7 BK B7 B6 BA CK CQ CN CJ C10",
        "- [BEG.MAT.CK.CQ.CN.CJ] BK [SK.SQ.SN.DK.DQ.DN] MO2 [ANG.MON.SOL] B9 [] BJ T9 T10 T13 T14 S7 SK S6 MO1 C7 CQ "
        "C8 C6 CN T16 SOL CA D9 DA BEG D8 CK MO3 MON C9 D6 T11 T15 D10",
        "B7 B6 BA",
    ),
    Position(
        "all looks equal, five points led: to lead, 11 tricks left",
        "piedicavallo",
        3,
        3,
        "T21 T20 T12 T6 T5 T3 T1 SQ SJ S8 B8 B7 B5 CN DK DA D6",
        "-B8.CN=0 S7 S9 SK S8 B9 B7 BN BK D4 DN DK T2 CQ C3 C4 T6",
        "T1",
    ),
    Position(
        "all looks equal, ruff invited: to lead, 2 tricks left",
        "piedicavallo",
        3,
        3,
        "T21 T20 T12 T6 T5 T3 T1 SQ SJ S8 B8 B7 B5 CN DK DA D6",
        "-B8.CN=0 S7 S9 SK S8 B9 B7 BN BK D4 DN DK T2 CQ C3 C4 T6 B5 BQ BJ B10 T4 T9 MAT T1 CJ C5 T5 CA T12 T13 T10 "
        "T8 B6 T7 T14 T20 DA T16 D5 DQ T17 C2 T19 T3 S5 SQ S6 DJ T21 T11 C6 T18",
        "D6",
    ),
    Position(
        "all looks equal, ruff invited: to lead, 5 tricks left",
        "piedicavallo",
        0,
        0,
        "T17 T14 T11 T9 T7 T6 SQ S8 BK B10 B6 CK CN DK DJ DA D2",
        "-SQ.S8=0 T12 T1 T20 T7 T21 T11 T2 T5 B5 B10 BN B7 D5 D3 D4 DK D2 D6 DN T3 C2 CK CA C4 DA DQ T19 MAT T8 T16 "
        "T17 T18 T15 C5 SN T9 SK S6 SJ T6",
        "DJ",
    ),
    Position(
        "all looks equal, opponents fed: trick B8 T18, 5 tricks left",
        "piedicavallo",
        1,
        0,
        "T21 T19 T16 T13 T12 T6 T4 T3 SN SJ S9 B6 C3 C5 D4",
        "-=0 T3 T8 T9 T11 T10 T4 T20 T2 T15 T17 MAT T12 BK B5 B6 B9 BJ T5 T6 BN C3 CK CA C2 CJ CN C6 C5 S10 S8 S9 SK "
        "S7 SQ T7 SJ D3 D4 DQ DK B8 T18",
        "T16",
    ),
    Position(
        "all looks equal, opponents fed: trick B8 DA, 2 tricks left",
        "terziglio",
        2,
        1,
        "LUN T16 T15 T13 T11 T6 MO1 BEG SQ SN SJ S10 S6 BN BJ B7 B6 BA CK CQ CN C6 C8 DJ D6 D10",
        "gioco pass pass -S6.BN.BJ.B7.B6.BA.D6.D10 [BEG.CK.CQ.CN] CK [ANG.SOL.MO2.MO4.MAT] C7 [SA.CA.DK.DQ.DN.DA] C9 "
        "T6 MAT T12 DN DJ D9 S7 SQ SK BK BQ BEG CQ C10 CJ C8 T7 CA ANG MO3 T13 B10 MON MO1 T10 LUN SOL T9 T8 T11 C6 "
        "T14 DK T5 D8 T15 S10 S8 S9 T16 MO2 D7 SJ MO4 SA B8 DA",
        "SN",
    ),
)
